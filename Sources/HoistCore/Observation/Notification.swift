/// The topics of notifications; the numbers of `hoist_topic`. From 1000 on they are a service's own.
public struct Topic: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32

  private init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// nil for a number that is no topic.
  public init?(rawValue: Int32) {
    guard (1...13).contains(rawValue) || (1000...1999).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  /// - Parameter number: from 0; beyond 999 it is that.
  public init(ofService number: Int32) { rawValue = 1000 + min(max(0, number), 999) }

  private static let names = [
    "ready", "configurationChanged", "flagChanged", "error", "state", "impression", "eventsSent", "contextChanged",
    "initialized", "recovered", "updated", "fetchFailed", "sendFailed",
  ]

  public var description: String {
    let index = Int(rawValue) - 1
    return Self.names.indices.contains(index) ? Self.names[index] : "topic \(rawValue)"
  }

  public static var ready: Topic { Topic(1) }
  public static var configurationChanged: Topic { Topic(2) }
  public static var flagChanged: Topic { Topic(3) }
  public static var error: Topic { Topic(4) }
  public static var state: Topic { Topic(5) }
  public static var impression: Topic { Topic(6) }
  public static var eventsSent: Topic { Topic(7) }
  public static var contextChanged: Topic { Topic(8) }
  public static var initialized: Topic { Topic(9) }
  public static var recovered: Topic { Topic(10) }
  public static var updated: Topic { Topic(11) }
  public static var fetchFailed: Topic { Topic(12) }
  public static var sendFailed: Topic { Topic(13) }
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

/// Called on the client's delivery lane or in manual dispatch, one call at a time.
public protocol Observer: AnyObject, Sendable {
  func notify(_ notification: Notification)
}

/// A closure that observes.
public final class ClosureObserver: Observer {
  private let body: @Sendable (Notification) -> Void
  public init(_ body: @escaping @Sendable (Notification) -> Void) { self.body = body }
  public func notify(_ notification: Notification) { body(notification) }
}
