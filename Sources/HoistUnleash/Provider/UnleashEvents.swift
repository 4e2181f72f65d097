internal import HoistBase
internal import HoistCore

/// The vendor's own events `ready` and `update`, and its record of fetches (protocol D.1; UNL-49, UNL-50, UNL-85):
/// `ready` once, when flags have been fetched, or stored ones confirmed or fresh; `update` with each later answer.
/// Announced on the scheduler's thread; the record can be read on any.
final class UnleashEvents: @unchecked Sendable {
  private let host: any ProviderHost
  private let kept = LockedValue<(isReady: Bool, lastFailure: Status)>((false, .ok))

  init(host: any ProviderHost) { self.host = host }

  /// Once true, it stays so.
  var isReady: Bool { kept.withLock { $0.isReady } }

  /// Why the last fetch failed; `.ok` when it did not.
  var lastFailure: Status {
    get { kept.withLock { $0.lastFailure } }
    set { kept.withLock { $0.lastFailure = newValue } }
  }

  /// Flags have come from the service, and are served.
  /// - Parameters:
  ///   - report: reports to the core; observers and waiting threads then find `isReady` true.
  ///   - isNews: whether later ones are announced to the host.
  func fetched(_ report: LifeReport, isNews: Bool) {
    if !becomeReady(report), isNews { host.notify(Notification(.unleashUpdate)) }
  }

  /// Flags that were there before hold.
  func confirmed(_ report: LifeReport) { _ = becomeReady(report) }

  /// - Returns: false when it was before.
  private func becomeReady(_ report: LifeReport) -> Bool {
    let isFirst = kept.withLock { kept in
      defer { kept.isReady = true }
      return !kept.isReady
    }
    host.report(report)
    if isFirst { host.notify(Notification(.unleashReady)) }
    return isFirst
  }
}
