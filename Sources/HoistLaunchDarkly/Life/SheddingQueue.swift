/// One piece of work at a time; of those that wait and may be shed, only the newest stays (5.5). A value: its owner
/// runs what is in flight.
public struct SheddingQueue<Work> {
  /// What became of a piece of work that came.
  public enum Outcome {
    /// It is in flight.
    case begins
    case waits
    /// It replaces this waiting one, which never runs.
    case sheds(Work)
    /// Too many wait.
    case refused
  }

  /// Pieces that wait at most.
  private static var capacity: Int { 10_000 }

  public private(set) var inFlight: Work?
  private var entries: [(work: Work, isSheddable: Bool)] = []

  public init() {}

  public var waiting: [Work] { entries.map(\.work) }

  public mutating func add(_ work: Work, isSheddable: Bool) -> Outcome {
    guard inFlight != nil else {
      inFlight = work
      return .begins
    }
    let shed = entries.last.flatMap { $0.isSheddable ? $0.work : nil }
    if shed != nil { entries.removeLast() }
    guard entries.count < Self.capacity else { return .refused }
    entries.append((work, isSheddable))
    return shed.map { .sheds($0) } ?? .waits
  }

  /// What is in flight is done.
  /// - Returns: what is in flight now.
  public mutating func finish() -> Work? {
    inFlight = entries.isEmpty ? nil : entries.removeFirst().work
    return inFlight
  }

  /// Everything that has not been done, in order; the queue is empty then.
  public mutating func takeAll() -> [Work] {
    defer {
      inFlight = nil
      entries = []
    }
    return (inFlight.map { [$0] } ?? []) + waiting
  }
}
