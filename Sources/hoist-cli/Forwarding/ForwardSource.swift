/// Where events of other processes come from, and how they are brought to the service: the library's own delivery.
protocol ForwardSource: AnyObject {
  /// For lines; without what is secret.
  var place: String { get }
  /// Where they go, likewise.
  var servicePlace: String { get }
  /// Begins to take.
  func start() throws
  /// Does what is to be done on this thread, and waits for more of it at most so long.
  /// - Throws: what ends the command: nothing can be taken as things are.
  func run(milliseconds: Int32) throws
  var figures: ForwardFigures { get }
  /// Sends what was taken, as far as the time goes; what is left then stays with the source, for another.
  /// - Returns: whether nothing is left.
  func drain(milliseconds: Int64) -> Bool
}

/// What was done since the start, queue by queue.
struct ForwardFigures {
  /// What is counted: a record is a batch of events.
  enum Unit: String { case events, records }

  struct Queue {
    var name: String
    /// Taken from the source.
    var taken = 0.0
    /// Accepted by the service.
    var sent = 0.0
    /// For good, by the service.
    var refused = 0.0
    /// Too old for the service.
    var expired = 0.0
    /// On request, as of a person who has refused consent.
    var forgotten = 0.0
    /// Attempts after the first.
    var retried = 0.0
    /// Taken, and neither accepted nor dropped by now.
    var waiting = 0.0
    /// Of events: age of the oldest of these, in seconds. Of records: how many are there that are not done with.
    var lag = 0.0
  }

  let unit: Unit
  var queues: [Queue]

  func sum(_ part: (Queue) -> Double) -> Double { queues.reduce(0) { $0 + part($1) } }
  var sent: Double { sum(\.sent) }
  var refused: Double { sum(\.refused) }
  var waiting: Double { sum(\.waiting) }
  var lag: Double { queues.map(\.lag).max() ?? 0 }
}
