#include "cli/exit_code.hpp"
#include "cli/result_store.hpp"
#include "cli/sweep_session.hpp"
#include "tests/db/scratch.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace sptune::cli {
namespace {

tuner::SweepResult result_of(db::Status status) {
    tuner::SweepResult result;
    result.entry.candidates.resize(1);
    db::Candidate& c = result.entry.candidates.front();
    c.id = result.entry.baseline = "baseline";
    c.status = status;
    c.reason = "C = A·B needs 5 bytes, which could not be had";
    if (status == db::Status::ok) result.entry.winner = c.id;
    return result;
}

TEST(SweepSession, OnlyWrongResultsAreUnverified) {
    SweepRequest request;
    request.no_db = true;
    const SweepSession session(request);
    const auto code = [&](db::Status status, bool unsaved = false) {
        return session.judge(result_of(status), {"", unsaved}, "the rest");
    };
    EXPECT_EQ(code(db::Status::ok), kOk);
    EXPECT_EQ(code(db::Status::incorrect), kUnverified);
    EXPECT_EQ(code(db::Status::out_of_memory), kFailure);
    EXPECT_EQ(code(db::Status::crashed), kFailure);
    EXPECT_EQ(code(db::Status::ok, true), kFailure);
}

TEST(SweepSession, WhatWasStoppedBeforeItsFirstKernelIsNotStored) {
    const db::Scratch scratch;
    const ResultStore store({(scratch / "db").string(), false});
    const auto note = store.save(result_of(db::Status::not_reached).entry, [](db::Entry&) {}).note;
    EXPECT_EQ(note, "Not stored: nothing was measured.\n");
    EXPECT_FALSE(std::filesystem::exists(scratch / "db"));
}

}  // namespace
}  // namespace sptune::cli
