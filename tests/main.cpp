// doctest's own main, which is the slowest of all to compile, and a listener: where PODFENCE_EVIDENCE names a file,
// what became of each test case is appended to it, for tests/evidence.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace {

/// Lines of outcome, file, test case; a tab between them.
struct Evidence : doctest::IReporter {
  explicit Evidence(const doctest::ContextOptions&) {
    if (const auto* path = std::getenv("PODFENCE_EVIDENCE")) file.open(path, std::ios::app);
  }

  void test_case_start(const doctest::TestCaseData& started) override { current = &started, is_skipped = false; }

  void log_message(const doctest::MessageData& message) override {
    is_skipped = is_skipped || std::string_view(message.m_string.c_str()).starts_with("SKIPPED");
  }

  void test_case_end(const doctest::CurrentTestCaseStats& ended) override {
    if (!file.is_open()) return;
    std::string_view source = current->m_file.c_str();
    source.remove_prefix(
        std::min(source.size(), source.find("tests/")));  // the compiler was given it from the build folder
    const auto* outcome = ended.testCaseSuccess ? is_skipped ? "skipped" : "passed" : "failed";
    // Whole, or another program's lines could come in between.
    file << std::string(outcome) + '\t' + std::string(source) + '\t' + current->m_name + '\n' << std::flush;
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  std::ofstream file;
  const doctest::TestCaseData* current = nullptr;
  bool is_skipped = false;
};

REGISTER_LISTENER("evidence", 1, Evidence);

}  // namespace
