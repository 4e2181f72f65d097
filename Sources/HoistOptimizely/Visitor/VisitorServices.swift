internal import HoistBase
internal import HoistCore

/// What deciding for users needs of a client; put together by its provider, and alive as long as it. Thread-safe.
final class VisitorServices: @unchecked Sendable {
  let notifications: NotificationCenter
  let profiles: ProfileStore
  let forcedVariations: ForcedVariations
  /// Added to those of every call (`OPT-09`).
  let defaultOptions: DecideOptions
  let origin: EventOrigin
  /// The same for decisions: no reference is counted on the way.
  let originPort: Unmanaged<EventOrigin>
  let record: @Sendable ([UserEvent]) -> Status
  let predictor: (any Predictor)?
  /// Runs what may call the host, off the scheduler's thread.
  let onPluginLane: @Sendable (@escaping @Sendable () -> Void) -> Void
  let entropy: any Entropy
  let log: Log
  /// Takes the keys of flags whose rules cost more than an evaluation may.
  let noteExcess: @Sendable ([UInt8]) -> Void

  init(
    notifications: NotificationCenter, profiles: ProfileStore, forcedVariations: ForcedVariations,
    defaultOptions: DecideOptions, origin: EventOrigin, record: @escaping @Sendable ([UserEvent]) -> Status,
    predictor: (any Predictor)?, onPluginLane: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    entropy: any Entropy, log: Log, noteExcess: @escaping @Sendable ([UInt8]) -> Void = { _ in }
  ) {
    self.notifications = notifications
    self.profiles = profiles
    self.forcedVariations = forcedVariations
    self.defaultOptions = profiles.options(defaultOptions)
    self.origin = origin
    originPort = Unmanaged.passUnretained(origin)
    self.record = record
    self.predictor = predictor
    self.onPluginLane = onPluginLane
    self.entropy = entropy
    self.log = log
    self.noteExcess = noteExcess
  }

  convenience init(
    host: any ProviderHost, settings: OptimizelySettings, notifications: NotificationCenter, profiles: ProfileStore,
    forcedVariations: ForcedVariations, events: EventReporter, predictions: PredictionService
  ) {
    let urls = settings.events
    let origin = EventOrigin(
      client: settings.events.client, stamp: { events.stamp },
      url: { urls.url(for: $0)?.text ?? $0.eventsURL.description }, reporter: events)
    self.init(
      notifications: notifications, profiles: profiles, forcedVariations: forcedVariations,
      defaultOptions: settings.decideOptions, origin: origin, record: { events.record($0) },
      predictor: predictions, onPluginLane: { host.onPluginLane($0) },
      entropy: host.entropy, log: host.log, noteExcess: { key in key.withBytes { host.noteExcess(ofFlag: $0) } })
  }

  /// Carries out what the decisions of a call left to be done: events, observers, the profile, in this order.
  @inline(__always)
  func apply(_ effects: DecideEffects, user: () -> [UInt8], lookedUp: StoredProfile?) {
    if !effects.isEmpty { applyAll(effects, user: user, lookedUp: lookedUp) }
  }

  private func applyAll(_ effects: DecideEffects, user: () -> [UInt8], lookedUp: StoredProfile?) {
    if !effects.events.isEmpty { _ = record(effects.events) }
    for news in effects.news { notifications.post(news) }
    for key in effects.costlyFlags { noteExcess(key) }
    if !effects.assignments.isEmpty { profiles.save(effects.assignments, of: user(), lookedUp: lookedUp) }
  }
}
