// Seeded mutations of small files: the readers make a valid CSR of them or throw InputError.
#include "matrix/error.hpp"
#include "matrix/load.hpp"
#include "matrix/spt.hpp"
#include "matrix/validate.hpp"
#include "tests/matrix/scratch_folder.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sptune {
namespace {

const std::vector<std::string> kSeeds = {
    "%%MatrixMarket matrix coordinate real general\n% c\n3 4 4\n1 1 1.5\n3 4 -2e3\n2 2 0\n1 3 7\n",
    "%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n1 1 5\n4 2 -7\n3 1 +2\n",
    "%%MatrixMarket matrix coordinate pattern skew-symmetric\n3 3 2\n2 1\n3 1\n",
    "%%MatrixMarket matrix array real general\n2 3\n1\n2\n0\n4.5D+1\n5\n6",
    "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n-2\n3\n",
};
const std::vector<std::string> kWords = {
    "0",     "-1", "nan", "99999999999999999999", "\n", "\r\n", " ", "%",
    "1e999", ".",  "D",   "2147483647",           "+",  "\t"};

class Mutator {
  public:
    std::string operator()(std::string text) {
        for (std::uint32_t i = 1 + draw(3); i > 0; --i) mutate(text);
        return text;
    }
    std::uint32_t draw(std::size_t below) {
        return static_cast<std::uint32_t>(random_() % (below ? below : 1));
    }

  private:
    void mutate(std::string& text) {
        const std::size_t at = draw(text.size()), length = draw(6);
        switch (draw(6)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, kWords[draw(kWords.size())]);
                break;
            case 2:
                text.replace(at, length, kWords[draw(kWords.size())]);
                break;
            case 3:
                text.insert(at, text.substr(draw(text.size()), length * 4));
                break;
            case 4:
                text.resize(at);
                break;
            default:
                if (!text.empty()) text[at] = static_cast<char>(draw(256));
        }
    }
    std::mt19937 random_{20240601};
};

/// True when it was accepted. Huge sizes may run out of memory, honestly.
template <class T>
bool try_load(const std::string& path) {
    try {
        const auto info = inspect_matrix_file(path);
        if (info.rows > 10'000'000) return false;  // legal, but slow to fill
        const auto m = load_matrix<T>(path);
        EXPECT_EQ(csr_problem(m.view(), m.nnz()), "");
        return true;
    } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with(path)) << error.what();
        return false;
    }
}

TEST(Mutations, MatrixMarket) {
    const ScratchFolder folder;
    Mutator mutate;
    int accepted = 0;
    for (int i = 0; i < 6000; ++i) {
        const std::string text = mutate(kSeeds[mutate.draw(kSeeds.size())]);
        SCOPED_TRACE(text);
        accepted += try_load<float>(folder.write("a.mtx", text));
    }
    EXPECT_GT(accepted, 100);
    EXPECT_LT(accepted, 5000);
}

TEST(Mutations, Spt) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.spt");
    write_spt(path, load_matrix<double>(folder.write("a.mtx", kSeeds[0])).view());
    const std::string good = ScratchFolder::read(path);
    Mutator mutate;
    for (int i = 0; i < 2000; ++i) {
        const std::string bytes = mutate(good);
        if (bytes == good) continue;
        EXPECT_FALSE(try_load<double>(folder.write("b.spt", bytes)));
    }
}

}  // namespace
}  // namespace sptune
