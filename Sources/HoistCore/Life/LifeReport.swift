/// A fact that a provider reports of its flags and of the service. `LifeFacts` alone decides what follows from it: the
/// client's state, the topics and the log lines. Messages are one line for people, without secrets and full stop.
public enum LifeReport: Sendable, Equatable {
  /// Store and bootstrap have been read, with any result.
  case initialized
  /// Flags from the store, a bootstrap or a file are served: flags that the service has not sent or confirmed now.
  case serving(String)
  /// The service's confirmation does not hold for the flags served from now on: it was about other flags, or nothing
  /// keeps them current.
  case unconfirmed(String)
  /// Flags can be served without an answer of the service.
  case ready(String)
  /// A fetch or a stream brought flags, or the confirmation of those that are served.
  case answered(String)
  /// The service answered with success, but no flags are served yet, or no longer.
  case heard
  /// An attempt failed; attempts go on.
  case failed(Status, String)
  /// The service refuses key or address for now; attempts go on, at the slowest pace. The host should mend something.
  case refused(Status, String)
  /// Attempts have stopped until `refresh`, `set_online`, a start or `reopen`.
  case stopped(Status, String)
  /// Events are sent no more, while fetches go on, until `refresh`, `set_online`, a start or `reopen`. What was not sent is
  /// told of by its pipeline.
  case stoppedSending(String)
  /// Attempts go on after a stop of either kind.
  case resumed
  /// The service has switched all flags off; `answered` ends it.
  case suspended(String)
  /// The flags that were served are dropped.
  case emptied(String)
  /// The flags of the context that was taken up last are served: said before its change ends.
  case contextServed
}
