// GoogleTest's main(), but for the exit code where all tests were skipped: ctest takes 77 as that.
// It is no good at reading it from what is printed, where a test that failed may stand beside one
// that was skipped.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
    constexpr int kSkipped = 77;
    testing::InitGoogleTest(&argc, argv);
    const int code = RUN_ALL_TESTS();
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    const bool none_ran = all.skipped_test_count() > 0 && all.successful_test_count() == 0;
    return code == 0 && none_ran ? kSkipped : code;
}
