#include "cli/progress.hpp"

#include "cli/output.hpp"
#include "cli/table.hpp"
#include "matrix/number.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sptune::cli {
namespace {

using std::chrono::duration;

std::size_t terminal_columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

std::string bar(double share, int width) {
    const int filled = static_cast<int>(std::lround(share * width));
    std::string out;
    for (int i = 0; i < width; ++i) out += i < filled ? "█" : "░";
    return out;
}

}  // namespace

ProgressLine::ProgressLine(Log log)
    : terminal_(isatty(STDERR_FILENO)), log_(log), start_(Clock::now()), last_(start_) {}

ProgressLine::~ProgressLine() {
    wipe();
}

void ProgressLine::show(const std::string& what, double share, const std::string& detail,
                        double eta_s) {
    if (!terminal_ && log_ == Log::nothing) return;
    const auto now = Clock::now();
    const double elapsed = duration<double>(now - start_).count();
    const double since = duration<double>(now - last_).count();
    if (elapsed < 0.3 || since < (terminal_ ? 0.1 : 60)) return;
    last_ = now;
    share = std::clamp(share, 0.0, 1.0);
    if (eta_s < 0 && share > 0) eta_s = elapsed * (1 - share) / share;
    std::string text =
        fmt::format("{} {:3.0f} %", terminal_ ? what + " " + bar(share, 20) : what, share * 100);
    if (eta_s >= 0)
        text += eta_s < 119 ? fmt::format(", {:.0f} s left", std::ceil(eta_s))
                            : ", " + duration_us(eta_s * 1e6) + " left";
    if (!detail.empty()) text += "  " + detail;
    if (terminal_)
        print_error("\r" + fit(text, terminal_columns() - 1) + "\033[K");
    else
        print_error("sptune: " + text + "\n");
    std::fflush(stderr);
    drawn_ = terminal_;
}

void ProgressLine::reset() {
    wipe();
    start_ = last_ = Clock::now();
}

void ProgressLine::wipe() {
    if (!drawn_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    drawn_ = false;
}

}  // namespace sptune::cli
