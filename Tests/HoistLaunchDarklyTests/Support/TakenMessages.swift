import HoistTestSupport

@testable import HoistLaunchDarkly

extension SynchronizerDelegate {
  /// What becomes of a message at once; nil where that is not known yet.
  func took(_ message: FlagMessage) -> FlagOutcome? {
    let outcome = Locked<FlagOutcome?>(nil)
    take(message) {
      true
    } completion: {
      outcome.value = $0
    }
    return outcome.value
  }
}

extension ServedFlags {
  func took(_ message: FlagMessage) -> FlagOutcome? {
    let outcome = Locked<FlagOutcome?>(nil)
    apply(message) {
      true
    } completion: {
      outcome.value = $0
    }
    return outcome.value
  }
}
