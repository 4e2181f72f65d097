/// One message of a `text/event-stream`.
public struct ServerSentEvent: Sendable, Equatable {
  /// "message" when the stream names none.
  public var type: String
  /// Always valid UTF-8: what was not, is U+FFFD.
  public var data: [UInt8]
  /// The last event id of the stream when this message was complete; "" before the first.
  public var id: String

  public init(type: String = "message", data: [UInt8], id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}

/// What a stream says, in its order.
public enum ServerSentEventItem: Sendable, Equatable {
  case event(ServerSentEvent)
  /// A line that begins with a colon: a sign of life.
  case comment
  /// A new base delay for reconnecting, as the server wrote it: clamp it. Beyond `Int64` it is `Int64.max`.
  case retry(milliseconds: Int64)
  /// Nothing more can be read from this stream.
  case failed(ServerSentEventError)
}

/// The stream asks for more memory than it may have.
public enum ServerSentEventError: Error, Sendable, Equatable, CustomStringConvertible {
  case lineTooLong(limitBytes: Int)
  case eventTooLarge(limitBytes: Int)
  /// See `EventStream.hold`.
  case tooMuchHeld(limitBytes: Int)

  public var description: String {
    switch self {
    case .lineTooLong(let limit): "a line is longer than \(limit) bytes"
    case .eventTooLarge(let limit): "an event is larger than \(limit) bytes"
    case .tooMuchHeld(let limit): "more than \(limit) bytes came while an event was being read"
    }
  }
}
