import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistFlagship

/// Small bucketing files.
enum Bucketing {
  static let monday = "Mon, 01 Jan 2024 00:00:00 GMT"
  static let tuesday = "Tue, 02 Jan 2024 00:00:00 GMT"
  static let panic = #"{"panic":true}"#

  /// One campaign that everybody is in, with flag `color`.
  static func file(color: String = "blue", more: String = "") -> String {
    let targeting = #"{"targetingGroups":[{"targetings":[{"operator":"EQUALS","key":"fs_all_users","value":""}]}]}"#
    let variation = #"{"id":"va1","name":"First","allocation":100,"modifications":{"type":"FLAG","value":{"color":"\#(color)"}}}"#
    let group = #"{"id":"vg1","name":"All","targeting":\#(targeting),"variations":[\#(variation)]}"#
    return
      #"{"panic":false,"campaigns":[{"id":"c1","name":"Colors","type":"ab","slug":null,"variationGroups":[\#(group)]}]\#(more)}"#
  }

  static func answer(_ text: String = file(), lastModified: String? = monday) -> ScriptedTransport.Answer {
    .status(200, text, lastModified: lastModified)
  }
}

extension FlagshipRig {
  /// A client in bucketing mode.
  static func bucketing(
    _ properties: [String: String] = [:], cacheManager: (any CacheManager)? = nil,
    scheduler: ManualScheduler = ManualScheduler(), respond: (@Sendable (HTTPRequest) -> ScriptedTransport.Answer?)? = nil
  ) throws -> FlagshipRig {
    var all = ["mode": "bucketing"]
    if cacheManager != nil { all["store"] = "sqlite" }
    return try FlagshipRig(
      all.merging(properties, uniquingKeysWith: { $1 }), cacheManager: cacheManager, scheduler: scheduler, respond: respond)
  }

  /// Requests for the file.
  var downloads: [HTTPRequest] { transport.requests.filter { $0.url.hasSuffix("/bucketing.json") } }
}

/// Keys of changed flags, as observers heard of them.
final class HeardChanges: Observer, Sendable {
  private let kept = LockedValue<[[String]]>([])
  func notify(_ notification: Notification) { kept.withLock { $0.append(notification.keys) } }
  var all: [[String]] { kept.withLock { $0 } }
}
