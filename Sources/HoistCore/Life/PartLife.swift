internal import HoistBase

/// Leads the parts of a provider through its client's life: started once at a time, stopped in reverse, and in a forked
/// child where the parent was. On the scheduler's thread.
public final class PartLife: @unchecked Sendable {
  public let parts: [any ClientPart]
  /// False for a client that is started by a call of the host.
  private let startsByItself: Bool
  public private(set) var isStarted = false
  public private(set) var isForeground = true
  /// In a forked child: the parent had started.
  private var resumes = false
  /// Moves on with each start and stop: what belongs to an earlier one is over.
  public private(set) var generation = Generation()

  /// - Parameter parts: in starting order: what one records is sent by those after it.
  public init(_ parts: [any ClientPart], startsByItself: Bool = true) {
    self.parts = parts
    self.startsByItself = startsByItself
  }

  /// The client is open.
  public func open() {
    for part in parts { part.open() }
    if startsByItself || resumes { start() }
  }

  /// - Returns: false when it had been started already; then nothing is done.
  @discardableResult
  public func start() -> Bool {
    resumes = false
    guard !isStarted else { return false }
    isStarted = true
    generation.advance()
    for part in parts { part.start() }
    return true
  }

  public func stop() {
    isStarted = false
    generation.advance()
    for part in parts.reversed() { part.stop() }
  }

  public func setOnline(_ isOnline: Bool) {
    for part in parts { part.setOnline(isOnline) }
  }

  public func setForeground(_ isForeground: Bool) {
    guard isForeground != self.isForeground else { return }
    self.isForeground = isForeground
    for part in parts { part.setForeground(isForeground) }
  }

  public func refresh() {
    for part in parts { part.refresh() }
  }

  public func configurationChanged(_ snapshot: Snapshot) {
    for part in parts { part.configurationChanged(snapshot) }
  }

  public func abandonAfterFork() {
    resumes = resumes || isStarted
    isStarted = false
    generation.advance()
    for part in parts { part.abandonAfterFork() }
  }

  /// One part after the other; `completion` runs once, with the gravest result.
  public func flush(_ completion: @escaping @Sendable (FlushResult) -> Void) { Self.flush(parts[...], .accepted, completion) }

  private static func flush(
    _ rest: ArraySlice<any ClientPart>, _ former: FlushResult, _ completion: @escaping @Sendable (FlushResult) -> Void
  ) {
    guard let part = rest.first else { return completion(former) }
    part.flush { flush(rest.dropFirst(), max(former, $0), completion) }
  }

  public var statistics: [(group: String, name: String, value: Int64)] { parts.flatMap(\.statistics) }
}
