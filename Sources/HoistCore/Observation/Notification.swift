/// What observers can be told of; the numbers of `hoist_topic`.
public enum Topic: Int32, Sendable {
  case ready = 1
  case configurationChanged, flagChanged, error, state, impression, eventsSent, contextChanged, initialized, recovered, updated
  case fetchFailed, sendFailed
}

/// One piece of news.
public struct Notification: Sendable {
  public var topic: Topic
  public var status: Status
  /// One line for people.
  public var message: String
  public var keys: [String]
  /// The vendor's payload as JSON; empty when there is none.
  public var json: [UInt8]

  public init(_ topic: Topic, status: Status = .ok, message: String = "", keys: [String] = [], json: [UInt8] = []) {
    self.topic = topic
    self.status = status
    self.message = message
    self.keys = keys
    self.json = json
  }
}

/// Somebody who is told. Called on the client's delivery lane or in manual dispatch, one call at a time.
public protocol Observer: AnyObject, Sendable {
  func notify(_ notification: Notification)
}

/// A closure that observes.
public final class ClosureObserver: Observer {
  private let body: @Sendable (Notification) -> Void
  public init(_ body: @escaping @Sendable (Notification) -> Void) { self.body = body }
  public func notify(_ notification: Notification) { body(notification) }
}
