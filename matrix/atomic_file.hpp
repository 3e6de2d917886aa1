// Writing a file so that its name never shows half of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace sptune {

/// Collects bytes in a file without a name in the folder of `target`; commit() makes them appear as
/// `target`, replacing what was there. A killed process leaves the old file or the new one, and
/// nothing else but in the moment in which commit() renames. Where the file system has no files
/// without a name, this one has a temporary name, which the destructor removes, but no killed
/// process. Safe with many writers and on NFS: no locks, the last commit wins. Every failure throws
/// Error with the path and the system's reason.
class AtomicFile {
  public:
    /// Opens it. Symbolic links are followed and stay, even where they lead to no file yet; a
    /// target that is a folder or a device is refused.
    explicit AtomicFile(const std::filesystem::path& target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Appends; unbuffered, so large pieces are best.
    void write(std::string_view bytes);

    /// Replaces bytes already written, for a head that is known only at the end.
    void rewrite(std::uint64_t offset, std::string_view bytes);

    /// fsync, rename, fsync of the folder. Call once, last.
    void commit();

    /// Where a file written to `target` comes to lie: at the end of its symbolic links, where there
    /// need be nothing yet.
    static std::filesystem::path place_of(const std::filesystem::path& target);

    /// Whether `path` is named like a temporary file of this class, left over by a killed process
    /// when it is old.
    static bool is_temporary(const std::filesystem::path& path);

  private:
    void draw_name();
    void open_named();
    bool has_no_name() const { return temporary_.empty(); }
    [[noreturn]] void fail(int reason) const;

    std::filesystem::path target_, temporary_;
    int fd_ = -1;
};

}  // namespace sptune
