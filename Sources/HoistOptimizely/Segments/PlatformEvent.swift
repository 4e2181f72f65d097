internal import HoistBase
internal import HoistJSON

/// An event of the data platform (protocols/optimizely.md 3.6).
public struct PlatformEvent: Sendable, Equatable {
  public enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
  }

  public enum Refusal: Error, Sendable, Equatable {
    /// `odpInvalidAction`: the action is empty.
    case invalidAction
  }

  /// The sender's data in each event; the first four are always there.
  public struct Sender: Sendable, Equatable {
    public var name: String
    public var version: String
    /// `os`, `os_version`, `device_type` and `model`, where they are known.
    public var device: [(name: String, value: String)]

    public init(name: String, version: String, device: [(name: String, value: String)] = []) {
      self.name = name
      self.version = version
      self.device = device
    }

    public static func == (left: Sender, right: Sender) -> Bool {
      left.name == right.name && left.version == right.version
        && left.device.elementsEqual(right.device) { $0.name == $1.name && $0.value == $1.value }
    }
  }

  /// The event as one element of a request's array.
  public let json: [UInt8]

  /// - Parameters:
  ///   - type: `fullstack` where it is nil or empty.
  ///   - identifiers: the first spelling of `fs_user_id` counts, in whatever case and with `-` or `_`.
  ///   - data: wins over the sender's data.
  ///   - idempotenceID: a UUID.
  public init(
    type: String?, action: String, identifiers: [(name: String, value: String)], data: [(name: String, value: Value)],
    sender: Sender, idempotenceID: String
  ) throws(Refusal) {
    guard !action.isEmpty else { throw .invalidAction }
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("type")
      writer.string(type.flatMap { $0.isEmpty ? nil : $0 } ?? Self.standardType)
      writer.key("action")
      writer.string(action)
      writer.key("identifiers")
      writer.raw(Self.identifiersJSON(identifiers))
      writer.key("data")
      writer.object { Self.write(data, sender, idempotenceID, to: &$0) }
    }
    json = writer.bytes
  }

  static let standardType = "fullstack"

  static func identifiersJSON(_ identifiers: [(name: String, value: String)]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in normalized(identifiers) {
        writer.key(name)
        writer.string(value)
      }
    }
    return writer.bytes
  }

  /// A caller's data as one JSON object.
  static func dataJSON(_ data: [(name: String, value: Value)]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in data {
        writer.key(name)
        value.write(to: &writer)
      }
    }
    return writer.bytes
  }

  private static func normalized(_ identifiers: [(name: String, value: String)]) -> [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    for (name, value) in identifiers {
      let isUser = ASCII.equalsIgnoringCase(name, "fs_user_id") || ASCII.equalsIgnoringCase(name, "fs-user-id")
      let known = isUser ? "fs_user_id" : name
      if !found.contains(where: { $0.name.utf8.elementsEqual(known.utf8) }) { found.append((known, value)) }
    }
    return found
  }

  private static func write(
    _ data: [(name: String, value: Value)], _ sender: Sender, _ idempotenceID: String, to writer: inout JSONWriter
  ) {
    let own =
      [
        ("idempotence_id", idempotenceID), ("data_source_type", "sdk"), ("data_source", sender.name),
        ("data_source_version", sender.version),
      ] + sender.device.map { ($0.name, $0.value) }
    for (name, value) in own where !data.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
      writer.key(name)
      writer.string(value)
    }
    for (name, value) in data {
      writer.key(name)
      value.write(to: &writer)
    }
  }

  /// What an answer to a request means.
  public enum Outcome: Sendable, Equatable {
    case delivered
    /// To be sent again.
    case retry
    /// The service will never take it.
    case refused
  }

  /// - Parameter status: nil when there was no answer.
  public static func outcome(ofStatus status: Int?) -> Outcome {
    guard let status, status < 500 else { return .retry }
    return status < 400 ? .delivered : .refused
  }
}

extension PlatformEvent.Value {
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let truth): writer.bool(truth)
    case .int(let whole): writer.int(whole)
    case .double(let number): writer.double(number)
    case .string(let text): writer.string(text)
    }
  }
}
