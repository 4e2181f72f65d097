internal import HoistBase
internal import HoistJSON
internal import Synchronization

/// What the account has switched on, as the service says beside its campaigns (FS-203, FS-207, FS-208, FS-213).
struct AccountSettings: Sendable, Equatable {
  /// When reports of troubleshooting are wanted (6.4), and from which part of the visitors.
  struct Troubleshooting: Sendable, Equatable {
    var startMilliseconds: Int64
    var endMilliseconds: Int64
    /// As it was sent: visitors are drawn by it.
    var endText: [UInt8]
    /// Percent.
    var traffic: Int64
  }

  /// Experience continuity and one visitor, one test: both are applied by the server, no SDK does (FS-213).
  var hasExperienceContinuity = false
  var hasOneVisitorOneTest = false
  var troubleshooting: Troubleshooting?
  var collectsEmotions = false
  var usesEmotionScore = false

  init() {}

  /// What is missing or of another type is off.
  init(_ json: JSONNode?) {
    hasExperienceContinuity = json?["enabledXPC"]?.bool ?? false
    hasOneVisitorOneTest = json?["enabled1V1T"]?.bool ?? false
    collectsEmotions = json?["eaiCollectEnabled"]?.bool ?? false
    usesEmotionScore = json?["eaiActivationEnabled"]?.bool ?? false
    guard let part = json?["troubleshooting"], let end = part["endDate"]?.bytes,
      let from = part["startDate"]?.bytes.flatMap({ RFC3339.parse($0) }), let to = RFC3339.parse(end)
    else { return }
    troubleshooting = Troubleshooting(
      startMilliseconds: from.milliseconds, endMilliseconds: to.milliseconds, endText: Array(end),
      traffic: part["traffic"]?.int64 ?? 0)
  }
}

extension AccountSettings {
  /// - Parameter text: a JSON object; nil for none.
  init(text: [UInt8]?) {
    let read = try? text?.withUnsafeBytes { text throws(JSONFailure) in try JSONNode.parse(text) { AccountSettings($0) } }
    self = read ?? AccountSettings()
  }
}

extension AccountSettings {
  /// nil for what is no JSON object.
  init?(document: [UInt8]) {
    let read = try? document.withUnsafeBytes { text throws(JSONFailure) in
      try JSONNode.parse(text) { root -> AccountSettings? in
        if root.object == nil { return nil }
        return AccountSettings(root["accountSettings"]?.unlessNull ?? root)
      }
    }
    guard let read else { return nil }
    self = read
  }
}

/// The settings that hold now; any thread.
final class AccountSettingsHolder: @unchecked Sendable {
  private let shared = LockedValue(AccountSettings())
  private let asks = Atomic(false)

  var current: AccountSettings { shared.withLock { $0 } }
  /// Whether `current` has a window of troubleshooting; costs nothing to ask.
  var asksForReports: Bool { asks.load(ordering: .relaxed) }

  func take(_ settings: AccountSettings) {
    shared.withLock { $0 = settings }
    asks.store(settings.troubleshooting != nil, ordering: .relaxed)
  }
}
