internal import HoistCore

/// Where a client's flags come from: the frontend API, or the client API by polling, delta or stream.
/// On the scheduler's thread.
protocol FlagSource: AnyObject {
  /// - Parameters:
  ///   - fetchingNow: false puts the first fetch off by one interval.
  ///   - completion: gets the first fetch's outcome, or `.unchanged` at once when it is put off.
  func start(fetchingNow: Bool, completion: @escaping Poller.Completion)
  func stop()
  func fetchNow(completion: @escaping Poller.Completion)
  /// - Returns: whether a fetch is in flight; only then `completion` gets its outcome.
  func join(_ completion: @escaping Poller.Completion) -> Bool
  /// The current context has changed; `completion` when its flags are there.
  func contextChanged(completion: @escaping Poller.Completion)
  /// Takes flags that the client starts with.
  /// - Parameter entityTag: what the service called them; "" makes the next fetch ask for everything.
  /// - Returns: why they cannot be read; nil when they are served.
  func adopt(_ document: [UInt8], entityTag: String) -> String?
  /// In a forked child: what is in flight belongs to the parent.
  func abandonAfterFork()
}

/// What a source tells its provider of.
protocol FlagSourceDelegate: AnyObject {
  /// Flags were taken over.
  /// - Parameter isAnswer: they are the service's answer to a fetch.
  func flagsArrived(_ snapshot: Snapshot, changed: [String], isAnswer: Bool)
  /// Runs it when a storage of the host's own has the flags that arrived before; at once where there is none.
  func afterHostStorage(_ work: @escaping @Sendable () -> Void)
  /// - Parameters:
  ///   - document: what to keep for the next run, when there is something new.
  ///   - entityTag: of the flags served now, "" for none.
  func fetchEnded(_ outcome: FetchOutcome, document: [UInt8]?, entityTag: String)
}
