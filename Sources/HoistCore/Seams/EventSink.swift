/// A batch of events in the service's own words, on its way.
public struct EventDelivery: Sendable {
  /// Which pipeline of the provider sends it, e.g. "metrics".
  public var pipeline: String
  public var request: HTTPRequest
  /// The records in it: the same ids on every attempt.
  public var eventIDs: [String]
  /// 1 for the first attempt.
  public var attempt: Int
  /// The person of whom all of the records speak; "" for none, and for several.
  public var subject = ""
  /// How long the answer is waited for. Then the batch counts as failed, and comes again.
  public var limitMilliseconds: Int64 = 0
  /// Whose it is; a client says so to the host's dispatcher.
  public var origin = EventOrigin()

  public init(pipeline: String, request: HTTPRequest, eventIDs: [String], attempt: Int) {
    self.pipeline = pipeline
    self.request = request
    self.eventIDs = eventIDs
    self.attempt = attempt
  }
}

/// Which client's events they are, without its secrets.
public struct EventOrigin: Sendable {
  public var service = ""
  /// Digest of what its store is named by, in hexadecimal: the same for all clients of one service and key.
  public var keyDigest = ""
}

/// What became of a delivery.
public enum EventAnswer: Sendable {
  /// A service answered, or could not be reached; the provider knows what that means.
  case service(Result<HTTPResponse, TransportFailure>)
  /// Another owner has the events: they are forgotten.
  case taken
  /// They will never be taken: dropped and counted.
  case refused(String)
  /// Not now: tried again later.
  case failed(String)
  /// Not before the host has mended something: tried again at the slowest pace.
  case forbidden(String)
  /// More than can be carried at once: the halves, each on its own.
  case tooLarge(String)
}

/// Carries batches of events: over the network, or by the host's dispatcher.
///
/// Called on the scheduler's thread; must not block. `completion` may run on any thread, also within the call. Only its
/// first answer counts; a missing one counts as a failure after a limit.
public protocol EventSink: AnyObject, Sendable {
  func deliver(
    _ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void
  ) -> (any Cancellable)?
}

/// Delivers events as plain requests.
public final class TransportEventSink: EventSink {
  private let transport: any Transport
  public init(_ transport: any Transport) { self.transport = transport }

  public func deliver(
    _ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void
  ) -> (any Cancellable)? {
    transport.send(delivery.request) { completion(.service($0)) }
  }
}

/// A client's view of the host's dispatcher, which is told whose the events are.
final class ClientEventSink: EventSink {
  private let dispatcher: any EventSink
  private let origin: EventOrigin

  init(_ dispatcher: any EventSink, _ origin: EventOrigin) {
    self.dispatcher = dispatcher
    self.origin = origin
  }

  func deliver(
    _ delivery: EventDelivery, completion: @escaping @Sendable (EventAnswer) -> Void
  ) -> (any Cancellable)? {
    var delivery = delivery
    delivery.origin = origin
    return dispatcher.deliver(delivery, completion: completion)
  }
}
