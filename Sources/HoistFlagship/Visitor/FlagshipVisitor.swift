internal import CShims
internal import HoistBase
internal import HoistCore

/// A visitor of a client (FS-30 to FS-37, FS-45 to FS-70): ids, context, consent, flags. Thread-safe.
///
/// Its state is one immutable object, which readers find without a lock. It does not own its client: without the client
/// it is a visitor of an SDK that is not initialized.
public final class FlagshipVisitor: @unchecked Sendable {
  /// Announcements that wait for the host; beyond this the oldest are given up.
  private static let maximumAnnouncements = 1_000

  private let owner: UnownedClient<FlagshipVisitorRegistry>
  /// Whether sending a hit may wait, for the store or for the host's cache.
  public let waitsForStore: Bool
  /// For readers.
  let published: Published<VisitorState>
  /// Likewise: the SDK's status.
  let statusCell: StatusCell
  private let listener: (any VisitorListener)?
  /// Whether the context says that this is the first visitor of the installation (FS-109).
  let isFirst: Bool

  let lock = InlineLock()
  // Guarded by `lock`.
  var turns = FetchTurns()
  private var state: VisitorState
  private var announcements: [FetchProgress] = []
  private var reportedContext: UInt64?

  init(
    client: Client, registry: FlagshipVisitorRegistry, content: VisitorState.Content, isFirst: Bool,
    listener: (any VisitorListener)?
  ) {
    owner = UnownedClient(client, registry)
    waitsForStore = registry.reports.hits.waitsForStore
    state = VisitorState(content)
    published = Published(state)
    statusCell = registry.status.cell
    self.isFirst = isFirst
    self.listener = listener
  }

  /// What the visitor is now.
  var snapshotOfState: VisitorState {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    return published.current?.takeUnretainedValue() ?? lock.withLock { state }
  }

  /// Runs `body` with a client that still is, and is not a stale copy in a forked child.
  /// - Returns: nil when the client is gone.
  @inline(__always)
  func withClient<Result>(_ body: (Client, FlagshipVisitorRegistry) -> Result) -> Result? { owner.withClient(body) }

  /// The same without a shared write, with what the visitor is now.
  /// - Parameter body: short, and never waits.
  @inline(__always)
  func read<Result>(_ body: (Client, FlagshipVisitorRegistry, VisitorState) -> Result) -> Result? {
    owner.read { client, registry in published.current?._withUnsafeGuaranteedRef { body(client, registry, $0) } } ?? nil
  }

  /// The SDK's status, as this visitor sees it.
  var sdkStatus: SDKStatus {
    withClient { client, registry in client.isClosed ? .notInitialized : registry.status.current } ?? .notInitialized
  }

  /// Why the host may not change the visitor now (5.1); nil when it may.
  var refusal: Status? {
    switch sdkStatus {
    case .notInitialized: .flagshipNotInitialized
    case .panic: .flagshipPanic
    case .initializing, .initialized: nil
    }
  }

  /// Changes the visitor's state in one step, and announces its fetch status.
  /// - Parameter body: with `lock` held; short, and makes no calls out.
  @discardableResult
  func change<Result>(_ body: (inout VisitorState.Content, inout FetchTurns) -> Result) -> Result { changed(body).result }

  /// The same.
  /// - Returns: with what the visitor is then.
  func changed<Result>(
    _ body: (inout VisitorState.Content, inout FetchTurns) -> Result
  ) -> (result: Result, state: VisitorState) {
    let changed = lock.withLock {
      var content = state.content
      let result = body(&content, &turns)
      replace(content)
      return (result, state)
    }
    if hasListener { tell() }
    return changed
  }

  /// Whether there is a listener of the fetch status.
  var hasListener: Bool { listener != nil }

  /// With `lock` held.
  private func replace(_ content: VisitorState.Content) {
    let former = state.content
    state = VisitorState(content)
    published.replace(state)
    if content.progress != former.progress, listener != nil {
      if announcements.count >= Self.maximumAnnouncements { announcements.removeFirst() }
      announcements.append(content.progress)
    }
    if content.context !== former.context { tellContextLocked() }
  }

  /// Panic, whichever fetch or poll has found it, but for a fetch that may find its end (5.1, 5.3).
  private func shown(_ state: VisitorState) -> FetchProgress {
    statusCell.current == .panic && state.fetchStatus != .fetching ? .panic : state.content.progress
  }

  /// The client follows the context of its shared visitor.
  func tellContext() { lock.withLock { tellContextLocked() } }

  /// With `lock` held, so that the client gets contexts in their order.
  private func tellContextLocked() {
    withClient { $1.shared.contextChanged(of: self, state.content.context) }
  }

  /// Announces with no lock held, in the order of the changes: the first thread announces what all have queued.
  private func tell() {
    guard let listener, lock.withLock({ !announcements.isEmpty }) else { return }
    withClient { client, _ in
      client.onDeliveryLane { [self] in
        let news = lock.withLock {
          defer { announcements = [] }
          return announcements
        }
        for progress in news { listener.fetchStatusChanged(self, progress.status, progress.reason) }
      }
    }
  }

  /// Whether this context has not been reported yet; from now on it has.
  func claimReport(of context: FrozenContext) -> Bool {
    lock.withLock {
      guard reportedContext != context.fingerprint else { return false }
      reportedContext = context.fingerprint
      return true
    }
  }

  /// The service no longer has what was reported.
  func forgetReport() { lock.withLock { reportedContext = nil } }
}

/// What the host reads.
extension FlagshipVisitor {
  public var id: [UInt8] { snapshotOfState.identity.visitorID }
  /// nil for an anonymous visitor.
  public var anonymousID: [UInt8]? { snapshotOfState.identity.anonymousID }
  public var hasConsented: Bool {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    return published.current?._withUnsafeGuaranteedRef { $0.hasConsented } ?? false
  }
  /// FS-45
  public var fetchStatus: FetchStatus { shown(snapshotOfState).status }
  /// FS-46
  public var fetchReason: FetchReason { shown(snapshotOfState).reason }
  /// FS-63: a JSON object, with the pairs that the SDK sets.
  public var contextText: [UInt8] {
    let state = snapshotOfState
    return ContextText.json(state.context)
  }
  /// Flags, assignments and ids as JSON, for another visitor of that id to begin with.
  public var export: [UInt8] { snapshotOfState.record.json }
}
