internal import HoistBase
internal import HoistCore

/// Whom flags are kept fresh for, and what is known of them already.
struct SynchronizedContext: Sendable {
  var context: LDContext
  /// Of the cached flags; "" when there is none.
  var entityTag = ""
  /// When the cached flags were last confirmed, where that is known (5.10): the first poll may wait.
  var updatedUnixMilliseconds: Int64?
}

/// What a synchronizer tells, on the scheduler's thread.
protocol SynchronizerDelegate: AnyObject {
  func take(_ message: FlagMessage) -> FlagOutcome
  /// The service says that what is served is up to date (304).
  func confirmed()
  /// 401: the mobile key is refused, the client has to go offline.
  func unauthorized()
}

/// Keeps the flags of one context fresh while the client is online (2.2, 2.3, 5.3). On the scheduler's thread.
final class Synchronizer: LaunchDarklyPart, @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: LaunchDarklySettings
  private let connection: ConnectionState
  weak var delegate: (any SynchronizerDelegate)?
  private var settled: (@Sendable (SynchronizerOutcome) -> Void)?

  init(host: any ProviderHost, settings: LaunchDarklySettings, connection: ConnectionState) {
    self.host = host
    self.settings = settings
    self.connection = connection
  }

  /// Goes online for a context; what was under way for another one counts no more.
  /// - Parameter settled: called once: with the first answer that settles what the flags are, or what ended the attempt.
  func begin(_ subject: SynchronizedContext, settled: @escaping @Sendable (SynchronizerOutcome) -> Void) {
    end()
    self.settled = settled
  }

  /// Goes offline. `begin` may follow.
  func end() {
    let waiting = settled
    settled = nil
    waiting?(.superseded)
  }

  /// Asks for all flags out of turn.
  func refresh() {}

  func stop() { end() }
  func abandonAfterFork() { settled = nil }
}
