internal import HoistBase

/// What the account has switched on, as the service says beside its campaigns (FS-208, FS-213).
struct AccountSettings: Sendable, Equatable {
  /// Experience continuity, applied by the server.
  var hasExperienceContinuity = false
  /// One visitor, one test: applied by the server.
  var hasOneVisitorOneTest = false
}

/// The settings that hold now; any thread.
final class AccountSettingsHolder: @unchecked Sendable {
  private let shared = Shared(AccountSettings())

  var current: AccountSettings { shared.withLock { $0 } }
  func take(_ settings: AccountSettings) { shared.withLock { $0 = settings } }
}
