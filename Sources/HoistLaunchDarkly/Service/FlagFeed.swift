internal import HoistCore

/// What is asked for by stream and polls: the flags of a context, or the rules of an environment.
protocol FlagFeed: Sendable {
  var settings: LaunchDarklySettings { get }
  /// What the service knows the client by, for people.
  var keyName: StaticString { get }
  /// What comes of a refusal of that, for people.
  var afterRefusal: StaticString { get }
  func poll(entityTag: String, byReport: Bool) -> HTTPRequest?
  func stream(lastEventID: String) -> HTTPRequest?
  /// What an answer's status means for a poll.
  func pollVerdict(status: Int) -> PollVerdict
  /// Whether the entity tag stays with what is served while answers are none (server 2.3).
  var keepsEntityTag: Bool { get }
  /// Whether a stream that brings what cannot be read is dropped, and opened again (server 2.2).
  var dropsBadStreams: Bool { get }
  /// Of the base of pauses, before the first attempt to open a stream again.
  var firstDoublings: Int { get }
}

/// The flags of one context.
struct ContextFeed: FlagFeed {
  let requests: FlagRequest
  let context: LDContext

  var settings: LaunchDarklySettings { requests.settings }
  var keyName: StaticString { "mobile key" }
  var afterRefusal: StaticString { "the client goes offline" }
  func poll(entityTag: String, byReport: Bool) -> HTTPRequest? {
    requests.poll(context, entityTag: entityTag, byReport: byReport)
  }
  func stream(lastEventID: String) -> HTTPRequest? { requests.stream(context, lastEventID: lastEventID) }
  func pollVerdict(status: Int) -> PollVerdict { PollVerdict(status: status) }
  var keepsEntityTag: Bool { false }
  var dropsBadStreams: Bool { false }
  var firstDoublings: Int { 1 }
}
