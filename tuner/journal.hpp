// What a sweep writes down while it goes on, so that another process can go on where one died.
#pragma once

#include "db/entry.hpp"

#include <string>

namespace sptune::tuner {

class Journal {
  public:
    virtual ~Journal() = default;
    /// The sweep begins. `blank` is its entry as it would be stored if nothing were ever measured.
    virtual void open(const db::Entry& blank) = 0;
    /// The code of this candidate runs from now on: it is being "inspected", "converted",
    /// "verified", "timed" or, after the short run, "timed again".
    virtual void begin(const std::string& id, const char* phase) = 0;
    /// It has come back. Not called where it threw a DeviceFailure that has lost the device.
    virtual void end() = 0;
    /// How the candidate's short run has ended. The first to be told of is the baseline, unless it
    /// was known.
    virtual void settle(const db::Candidate& candidate) = 0;
    /// What was settled by, or has ended, a process before this one; null where nothing is known.
    /// Of those that have ended one, id, status and reason are enough.
    virtual const db::Candidate* recall(const std::string& id) const = 0;
};

}  // namespace sptune::tuner
