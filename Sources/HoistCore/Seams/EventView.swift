public import HoistBase

/// A tracked event where the host has it in memory, for providers that copy it straight into a record of
/// their own. Everything is borrowed for the call; all texts are valid UTF-8.
public struct EventView {
  public enum Value {
    case text(ByteView), number(Double), boolean(Bool)
    /// JSON text.
    case json(ByteView)
  }

  public struct Property {
    public var name: ByteView
    public var value: Value

    public init(name: ByteView, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  public var key: ByteView
  public var value: Double?
  public var properties: UnsafeBufferPointer<Property>
  public var unixMilliseconds: Int64

  public init(
    key: ByteView, value: Double?, properties: UnsafeBufferPointer<Property>, unixMilliseconds: Int64
  ) {
    self.key = key
    self.value = value
    self.properties = properties
    self.unixMilliseconds = unixMilliseconds
  }
}

extension TrackedEvent {
  /// A copy that outlives the call.
  public init(_ view: EventView, context: ContextReference?) {
    self.init(
      key: String(decoding: view.key, as: UTF8.self), context: context, value: view.value,
      properties: view.properties.map { (String(decoding: $0.name, as: UTF8.self), AttributeValue($0.value)) },
      unixMilliseconds: view.unixMilliseconds)
  }
}

extension AttributeValue {
  fileprivate init(_ value: EventView.Value) {
    switch value {
    case .text(let text): self = .string(Array(text))
    case .number(let number): self = .double(number)
    case .boolean(let truth): self = .bool(truth)
    case .json(let text): self = .json(Array(text))
    }
  }
}

extension Provider {
  public func track(_ event: EventView, of subject: EventSubject) -> Status {
    track(TrackedEvent(event, context: subject.reference()))
  }
}

/// The provider, as the recording of events and evaluations reaches it: a constant, so that no reference is counted.
final class EventPort: Sendable {
  nonisolated(unsafe) let provider: any Provider
  init(_ provider: any Provider) { self.provider = provider }
}
