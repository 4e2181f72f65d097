internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A step of a migration from one system to another (protocols/launchdarkly-server.md 9).
public enum MigrationStage: String, Sendable, CaseIterable {
  case off, dualwrite, shadow, live, rampdown, complete

  /// - Parameter text: a name of one; nil for another text.
  init?(_ text: ByteView) {
    guard let stage = Self.allCases.first(where: { $0.rawValue.withBytes { $0.hasSameBytes(as: text) } }) else { return nil }
    self = stage
  }

  /// Where an operation goes: first the one whose result counts.
  func origins(of kind: MigrationKind) -> [MigrationOrigin] {
    switch self {
    case .off: [.old]
    case .dualwrite: kind == .read ? [.old] : [.old, .new]
    case .shadow: [.old, .new]
    case .live: [.new, .old]
    case .rampdown: kind == .read ? [.new] : [.new, .old]
    case .complete: [.new]
    }
  }
}

public enum MigrationKind: String, Sendable {
  case read, write
}

public enum MigrationOrigin: String, Sendable, CaseIterable {
  case new, old
}

/// What was done for a migration, and how it went: what its event says.
struct MigrationOperation: Sendable {
  struct Flag: Sendable {
    var version: Int64
    var samplingRatio: Int64 = 1
  }

  let key: String
  /// Nil for an unknown one.
  let flag: Flag?
  let kind: MigrationKind
  let fallback: MigrationStage
  let stage: MigrationStage
  let variation: Int64?
  /// JSON text.
  let reason: [UInt8]
  let invoked: Set<MigrationOrigin>
  let failed: Set<MigrationOrigin>
  let latencies: [MigrationOrigin: Double]
  let isConsistent: Bool?
  let checkRatio: Int64

  /// - Parameter context: JSON text.
  func event(_ context: [UInt8], at unixMilliseconds: Int64) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("kind", "migration_op")
      writer.member("creationDate", unixMilliseconds)
      writer.member("operation", kind.rawValue)
      writer.key("context")
      writer.raw(context)
      if let ratio = flag?.samplingRatio, ratio != 1 { writer.member("samplingRatio", ratio) }
      writer.object("evaluation") { writer in
        writer.member("key", key)
        writer.member("default", fallback.rawValue)
        writer.member("value", stage.rawValue)
        if let variation { writer.member("variation", variation) }
        if let flag { writer.member("version", flag.version) }
        writer.key("reason")
        writer.raw(reason)
      }
      writer.array("measurements") { writer in write(measurements: &writer) }
    }
    return writer.bytes
  }

  private func write(measurements writer: inout JSONWriter) {
    write("invoked", invoked, &writer) { writer, _ in writer.bool(true) }
    if let isConsistent {
      writer.object { writer in
        writer.member("key", "consistent")
        writer.member("value", isConsistent)
        if checkRatio != 1 { writer.member("samplingRatio", checkRatio) }
      }
    }
    write("latency_ms", Set(latencies.keys), &writer) { writer, origin in writer.double(latencies[origin] ?? 0) }
    write("error", failed, &writer) { writer, _ in writer.bool(true) }
  }

  private func write(
    _ key: String, _ origins: Set<MigrationOrigin>, _ writer: inout JSONWriter,
    _ value: (inout JSONWriter, MigrationOrigin) -> Void
  ) {
    if origins.isEmpty { return }
    writer.object { writer in
      writer.member("key", key)
      writer.object("values") { writer in
        for origin in MigrationOrigin.allCases where origins.contains(origin) {
          writer.key(origin.rawValue)
          value(&writer, origin)
        }
      }
    }
  }
}
