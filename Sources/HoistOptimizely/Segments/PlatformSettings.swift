internal import Glibc
internal import HoistCore

/// How a client uses the data platform (rows OPT-10 to OPT-16, OPT-55).
struct PlatformSettings: Sendable {
  /// False allocates and runs nothing of it.
  let isEnabled: Bool
  /// 0 keeps no segments.
  let cacheCapacity: Int
  /// 0 keeps them forever.
  let cacheMilliseconds: Int64
  let fetchTimeoutMilliseconds: Int64
  let eventTimeoutMilliseconds: Int64
  let connectTimeoutMilliseconds: Int64
  let durability: EventPipeline.Durability
  let longestRetryMilliseconds: Int64

  static let properties: [Property] = [
    Property(
      "odp.disable", .boolean, default: "false",
      "Turns off audience segments and events of the data platform; what is asked of them answers that they are not enabled."),
    Property(
      "odp.segments_cache_size", .integer(0...10_000), default: "100", "Visitors whose segments are kept in memory; 0 keeps none."
    ),
    Property(
      "odp.segments_cache_timeout", .integer(0...31_536_000), default: "600", "Seconds for which kept segments hold; 0 for ever."),
    Property(
      "odp.segment_fetch_timeout_ms", .integer(0...600_000), default: "10000",
      "Longest time for a fetch of segments, in milliseconds; 0 means network.timeout_ms."),
    Property(
      "odp.event_timeout_ms", .integer(0...600_000), default: "10000",
      "Longest time for one delivery to the data platform, in milliseconds; 0 means network.timeout_ms."),
    Property(
      "vuid.enabled", .boolean, default: "false",
      "Whether this installation has an anonymous visitor id, for users without one. Set to false, it is deleted for every client; unset, it is left to those that have it."
    ),
  ]

  init(_ values: PropertyValues) {
    isEnabled = !values.boolean("odp.disable")
    cacheCapacity = Int(values.integer("odp.segments_cache_size"))
    cacheMilliseconds = values.integer("odp.segments_cache_timeout") * 1000
    func timeout(_ name: String) -> Int64 {
      let given = values.integer(name)
      return given > 0 ? given : values.integer("network.timeout_ms")
    }
    fetchTimeoutMilliseconds = timeout("odp.segment_fetch_timeout_ms")
    eventTimeoutMilliseconds = timeout("odp.event_timeout_ms")
    connectTimeoutMilliseconds = values.integer("network.connect_timeout_ms")
    longestRetryMilliseconds = values.integer("network.retry_max_ms")
    durability = EventPipeline.Durability(name: values.text("events.durability"))
  }
}

extension PlatformEvent.Sender {
  /// This client, and the machine it runs on.
  static func current(_ client: EventClient) -> PlatformEvent.Sender {
    PlatformEvent.Sender(name: client.name, version: client.version, device: machine)
  }

  private static var machine: [(name: String, value: String)] {
    var facts = utsname()
    guard uname(&facts) == 0 else { return [] }
    func text<Member>(_ member: Member) -> String {
      withUnsafeBytes(of: member) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return [("os", text(facts.sysname)), ("os_version", text(facts.release)), ("device_type", "PC"), ("model", "N/A")]
  }
}
