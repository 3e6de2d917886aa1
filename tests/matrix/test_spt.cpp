// The binary format: round trips, and every kind of damage.
#include "matrix/atomic_file.hpp"
#include "matrix/convert.hpp"
#include "matrix/error.hpp"
#include "matrix/load.hpp"
#include "matrix/spt.hpp"
#include "matrix/spt_layout.hpp"
#include "tests/matrix/csr_text.hpp"
#include "tests/matrix/scratch_folder.hpp"

#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

namespace sptune {
namespace {

template <class T>
Csr<T> sample() {
    Coo<T> coo{3, 5, Buffer<index_t>(4), Buffer<index_t>(4), Buffer<T>(4)};
    for (int i = 0; i < 4; ++i) {
        coo.row_idx[i] = i % 2 * 2;
        coo.col_idx[i] = i;
        coo.values[i] = static_cast<T>(i) + T(0.5);
    }
    return coo_to_csr(coo);
}
const std::string kSample = "3x5 (0,0)=0.5 (0,2)=2.5 (2,1)=1.5 (2,3)=3.5";

TEST(Spt, RoundTripsAndConverts) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.spt");
    write_spt(path, sample<float>().view());
    const SptHeader head = read_spt_header(path);
    EXPECT_EQ(head.rows, 3);
    EXPECT_EQ(head.cols, 5);
    EXPECT_EQ(head.nnz, 4);
    EXPECT_EQ(head.value, ValueType::f32);
    EXPECT_EQ(head.index, IndexType::i32);
    EXPECT_EQ(text_of(read_spt<float>(path)), kSample);
    EXPECT_EQ(text_of(read_spt<double, std::int64_t>(path)), kSample);
    EXPECT_EQ(text_of(load_matrix<double>(path)), kSample);
    EXPECT_EQ(inspect_matrix_file(path).max_nnz, 4);
    EXPECT_EQ(folder.count(), 1u);
}

TEST(Spt, MapsInPlaceAligned) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.spt");
    write_spt(path, sample<double>().view());
    MappedSpt<double, std::int32_t> first(path);
    const MappedSpt<double, std::int32_t> mapped(std::move(first));
    const CsrView<double> view = mapped.view();
    EXPECT_EQ(text_of(cast_csr<double, std::int32_t>(view)), kSample);
    for (const void* p :
         {static_cast<const void*>(view.row_ptr), static_cast<const void*>(view.col_idx),
          static_cast<const void*>(view.values)})
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
    EXPECT_THROW((MappedSpt<float, std::int32_t>(path)), InputError);
    EXPECT_THROW((MappedSpt<double, std::int64_t>(path)), InputError);
}

TEST(Spt, EmptyMatrices) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.spt");
    write_spt(path, CsrView<double>{0, 7, nullptr, nullptr, nullptr});
    EXPECT_EQ(text_of(read_spt<double>(path)), "0x7");
    write_spt(path, coo_to_csr(Coo<double>{4, 0, {}, {}, {}}).view());
    EXPECT_EQ(text_of(read_spt<double>(path)), "4x0");
}

TEST(Spt, EveryFlippedByteAndEveryLengthIsNoticed) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.spt");
    write_spt(path, sample<double>().view());
    const std::string good = ScratchFolder::read(path);
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 0x10);
        EXPECT_THROW(load_matrix<double>(folder.write("b.spt", bad)), InputError) << i;
        EXPECT_THROW(load_matrix<double>(folder.write("b.spt", good.substr(0, i))), InputError)
            << i;
    }
    EXPECT_THROW(load_matrix<double>(folder.write("b.spt", good + '\0')), InputError);
}

/// A file whose checksums are right and whose content is not.
template <class Change>
std::string crafted(std::string bytes, Change change) {
    detail::SptFileHead head;
    std::memcpy(&head, bytes.data(), sizeof head);
    const detail::SptLayout layout(head);
    const auto section = [&](int i) { return bytes.data() + layout.sections[i].offset; };
    change(head, reinterpret_cast<std::int32_t*>(section(0)),
           reinterpret_cast<std::int32_t*>(section(1)), reinterpret_cast<double*>(section(2)));
    for (int i = 0; i < 3; ++i)
        head.section_hash[i] = XXH3_64bits(section(i), layout.sections[i].bytes);
    head.head_hash = 0;
    head.head_hash = XXH3_64bits(&head, sizeof head);
    std::memcpy(bytes.data(), &head, sizeof head);
    return bytes;
}

TEST(Spt, CraftedFilesWithRightChecksumsAreRefused) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.spt");
    write_spt(path, sample<double>().view());
    const std::string good = ScratchFolder::read(path);
    using Head = detail::SptFileHead;
    using Int = std::int32_t;
    const auto refuse = [&](auto change, const char* says) {
        try {
            read_spt<double>(folder.write("b.spt", crafted(good, change)));
            ADD_FAILURE() << says;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        }
    };
    EXPECT_EQ(crafted(good, [](Head&, Int*, Int*, double*) {}), good);
    refuse([](Head&, Int* p, Int*, double*) { p[0] = 1; }, "starts at 1");
    refuse([](Head&, Int* p, Int*, double*) { p[1] = 3, p[2] = 2; }, "decreases");
    refuse([](Head&, Int* p, Int*, double*) { p[1] = -5; }, "decreases");
    refuse([](Head&, Int* p, Int*, double*) { p[3] = 5; }, "ends at 5");
    refuse([](Head&, Int*, Int* c, double*) { c[1] = 5; }, "row 1 has column 6 of 5");
    refuse([](Head&, Int*, Int* c, double*) { c[0] = -1; }, "column 0 of 5");
    refuse([](Head&, Int*, Int* c, double*) { c[1] = 0; }, "behind");
    refuse([](Head&, Int*, Int*, double* v) { v[2] = 0.0 / *v * *v / 0.0; }, "value of row");
    refuse([](Head& h, Int*, Int*, double*) { h.nnz = std::int64_t{1} << 62; }, "possible");
    refuse([](Head& h, Int*, Int*, double*) { h.rows = -1; }, "possible");
    refuse([](Head& h, Int*, Int*, double*) { h.cols = std::int64_t{1} << 31; }, "possible");
    refuse([](Head& h, Int*, Int*, double*) { h.value_bytes = 3; }, "possible");
    refuse([](Head& h, Int*, Int*, double*) { h.rows = 1 << 30; }, "bytes");
    refuse([](Head& h, Int*, Int*, double*) { h.version = 2; }, "version 2");
}

TEST(Spt, WriterRefusesWhatTheReaderWould) {
    const ScratchFolder folder;
    Csr<double> m = sample<double>();
    std::swap(m.col_idx[0], m.col_idx[1]);
    EXPECT_THROW(write_spt(folder.file("a.spt"), m.view()), Error);
    EXPECT_EQ(folder.count(), 0u);
}

TEST(AtomicFile, ShowsNothingBeforeCommit) {
    const ScratchFolder folder;
    const std::string path = folder.write("a", "old");
    {
        AtomicFile file(path);
        file.write("new");
        EXPECT_EQ(ScratchFolder::read(path), "old");
    }
    EXPECT_EQ(folder.count(), 1u);
    AtomicFile file(path);
    file.write("new");
    file.commit();
    EXPECT_EQ(ScratchFolder::read(path), "new");
    EXPECT_EQ(folder.count(), 1u);
    EXPECT_THROW(AtomicFile("/dev/null"), Error);
    EXPECT_THROW(AtomicFile{folder.file("")}, Error);
}

TEST(AtomicFile, IsGoneWithAKilledProcess) {
    const ScratchFolder folder;
    const int unnamed = open(folder.file("").c_str(), O_WRONLY | O_TMPFILE, 0600);
    if (unnamed < 0) GTEST_SKIP() << "this file system has no files without a name";
    close(unnamed);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        AtomicFile file(folder.file("a"));
        file.write("new");
        raise(SIGKILL);
    }
    waitpid(child, nullptr, 0);
    EXPECT_EQ(folder.count(), 0u);
}

TEST(AtomicFile, KeepsALinkALink) {
    const ScratchFolder folder;
    const std::string path = folder.write("a", "old"), link = folder.file("link");
    std::filesystem::create_symlink(path, link);
    AtomicFile file(link);
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(ScratchFolder::read(path), "new");
}

TEST(AtomicFile, FollowsLinksToWhatIsNotThereYet) {
    const ScratchFolder folder;
    std::filesystem::create_directory(folder.file("below"));
    const std::string first = folder.file("first"), second = folder.file("below/second");
    std::filesystem::create_symlink("below/second", first);
    std::filesystem::create_symlink("../target", second);
    AtomicFile file(first);
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(first));
    EXPECT_TRUE(std::filesystem::is_symlink(second));
    EXPECT_EQ(ScratchFolder::read(folder.file("target")), "new");
}

TEST(AtomicFile, RefusesLinksThatLeadNowhere) {
    const ScratchFolder folder;
    const std::string loop = folder.file("loop"), lost = folder.file("lost");
    std::filesystem::create_symlink("loop", loop);
    std::filesystem::create_symlink("missing/file", lost);
    for (const std::string& link : {loop, lost}) {
        EXPECT_THROW(AtomicFile{link}, Error);
        EXPECT_TRUE(std::filesystem::is_symlink(link));
    }
    EXPECT_EQ(folder.count(), 2u);
}

}  // namespace
}  // namespace sptune
