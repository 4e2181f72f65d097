"""A runner that misreads its tests would hide their failures."""

import pytest

import counts
from counts import Counts, NothingCounted, from_closing_lines, from_ctest, from_junit, from_pytest, from_swift_testing

END = "100% tests passed, 0 tests failed out of 4\n"


def test_the_last_closing_line_counts():
    assert from_closing_lines("1 passed, 2 failed\nmore\n10 passed, 0 failed, 3 skipped\n") == Counts(10, 0, 3)


def test_ctest_sums_the_closing_lines_of_its_programs():
    output = ("1: ok a\n1: 5 passed, 0 failed, 1 skipped\n1/4 Test #1: one ...   Passed    0.1 sec\n"
              "2: 3 passed, 2 failed, 0 skipped\n2/4 Test #2: two ...***Failed    0.1 sec\n"
              "3: ok b\n3/4 Test #3: three ...***Exception: SegFault  0.1 sec\n"
              "4/4 Test #4: four ...   Passed    0.1 sec\n" + END)
    assert from_ctest(output) == Counts(9, 3, 1)


def test_a_program_that_says_all_is_well_and_fails_has_failed():
    assert from_ctest("1: 5 passed, 0 failed, 0 skipped\n1/1 Test #1: one ...***Failed  0.1 sec\n" + END) == Counts(5, 1, 0)
    assert from_ctest("1/1 Test #1: one ...***Not Run   0.0 sec\n" + END) == Counts(0, 1, 0)


def test_pytest_counts_errors_as_failures():
    assert from_pytest("===== 1 failed, 40 passed, 2 skipped, 1 error in 3.21s =====") == Counts(40, 2, 2)
    assert from_pytest("12 passed in 0.10s") == Counts(12, 0, 0)
    assert from_pytest("1 passed, 2 xfailed in 0.10s") == Counts(1, 0, 2)


def test_junit_reports_are_read(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite><testcase name="a"/><testcase name="b"><failure/></testcase>'
                      '<testcase name="c"><skipped/></testcase></testsuite></testsuites>')
    assert from_junit(report) == Counts(1, 1, 1)


def test_a_report_that_was_not_finished_is_a_failure(tmp_path):
    report = tmp_path / "torn.xml"
    report.write_text("<testsuites>\n  <testsuite>\n")
    assert from_junit(report) == Counts(0, 1, 0)


def test_a_run_of_swift_testing_is_read():
    assert from_swift_testing("x Test run with 5 tests in 2 suites passed after 0.1 seconds.") == Counts(5, 0, 0)
    assert from_swift_testing("x Test run with 5 tests in 2 suites failed after 0.1 seconds with 2 issues.") == Counts(4, 1, 0)


READERS = [reader for name, reader in vars(counts).items() if name.startswith("from_")]


@pytest.mark.parametrize("output", ["", "........ [100%]\n", "no tests ran in 0.01s\n", "1: ok a\n"])
@pytest.mark.parametrize("reader", [reader for reader in READERS if reader is not from_junit])
def test_an_output_without_its_closing_line_is_not_read_as_no_tests(reader, output):
    with pytest.raises(NothingCounted):
        reader(output)


def test_a_report_that_was_not_written_is_not_read_as_no_tests(tmp_path):
    with pytest.raises(NothingCounted, match=r"report\.xml"):
        from_junit(tmp_path / "report.xml")
