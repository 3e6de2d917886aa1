// Every failure that sptune reports on purpose. cli/ maps the class to an exit code.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace sptune {

/// A failure while running (exit code 1).
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The command line asks for something that makes no sense (exit code 2).
class UsageError : public Error {
  public:
    using Error::Error;
};

/// An input that is refused (exit code 3). The message reads "FILE:LINE: what is wrong; what was
/// expected"; line 0 means that no single line is to blame and is left out.
class InputError : public Error {
  public:
    // append() because g++ 12 warns, falsely, of an overlap in `literal + string`.
    InputError(const std::string& file, std::uint64_t line, const std::string& what)
        : Error(file + (line ? std::string(":").append(std::to_string(line)) : std::string()) +
                ": " + what) {}
};

/// The device or backend asked for does not exist here (exit code 4).
class DeviceError : public Error {
  public:
    using Error::Error;
};

/// A call to a device failed. Where the device is `lost`, so do all later ones: only another
/// process can use it again.
class DeviceFailure : public Error {
  public:
    DeviceFailure(const std::string& what, bool is_lost) : Error(what), lost(is_lost) {}
    bool lost;
};

/// An allocation failed or would pass a limit. `bytes` is what was asked for.
class OutOfMemory : public Error {
  public:
    OutOfMemory(const std::string& what, std::uint64_t asked)
        : Error(what + " needs " + std::to_string(asked) + " bytes, which could not be had"),
          bytes(asked) {}
    std::uint64_t bytes;
};

}  // namespace sptune
