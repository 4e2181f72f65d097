import CCurl
import Glibc
import HoistTestSupport
import Testing

@testable import HoistCurl

/// G6: descriptors close on exec, also those that libcurl does not give away.
@Suite(.enabled(if: ForkedChild.isSupported, "not under the thread sanitizer"))
struct WakeupDescriptorsTests {
  init() { NetworkLoop.prepare() }

  /// In a child, where no other test opens descriptors at the same moment.
  @Test func theDescriptorsOfAMultiHandleCloseOnExecAndStillWake() {
    let ending = ForkedChild.run {
      var made: Set<Int32> = []
      let multi = WakeupDescriptors.closingOnExec {
        let before = WakeupDescriptors.openDescriptors() ?? []
        let multi = shim_curl().pointee.multi_init()
        made = (WakeupDescriptors.openDescriptors() ?? []).subtracting(before)
        return multi
      }
      guard let multi else { return 1 }
      guard !made.isEmpty else { return 2 }
      guard made.allSatisfy({ fcntl($0, F_GETFD) & FD_CLOEXEC != 0 }) else { return 3 }
      guard shim_curl().pointee.multi_wakeup(multi) == CURLM_OK else { return 4 }
      // Would wait for its limit if the wake-up had got lost.
      var start = timespec()
      var end = timespec()
      clock_gettime(CLOCK_MONOTONIC, &start)
      guard shim_curl_multi_wait(multi, -1, 10_000) == CURLM_OK else { return 5 }
      clock_gettime(CLOCK_MONOTONIC, &end)
      return end.tv_sec - start.tv_sec < 5 ? 0 : 6
    }
    #expect(ending == .exited(0))
  }

  /// What was open before is another's, whatever it holds.
  @Test func descriptorsThatWereThereBeforeAreLeftAlone() {
    let ending = ForkedChild.run {
      var pair: [Int32] = [0, 0]
      guard pipe(&pair) == 0, write(pair[1], "x", 1) == 1 else { return 1 }
      guard WakeupDescriptors.closingOnExec(shim_curl().pointee.multi_init) != nil else { return 2 }
      return pair.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 } ? 0 : 3
    }
    #expect(ending == .exited(0))
  }
}
