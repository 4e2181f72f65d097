/// Who sends events, when, and where to. Immutable; shared by all calls of a client.
public final class EventOrigin: Sendable {
  public let client: EventClient
  /// Asked once for each event.
  public let stamp: @Sendable () -> EventStamp
  /// The address that events of a region are posted to, for observers.
  public let url: @Sendable (OptimizelyRegion) -> String
  /// Takes impressions without an observer as they are; nil where every event is written out.
  let reporter: EventReporter?

  public convenience init(
    client: EventClient, stamp: @escaping @Sendable () -> EventStamp,
    url: @escaping @Sendable (OptimizelyRegion) -> String = { $0.eventsURL.description }
  ) {
    self.init(client: client, stamp: stamp, url: url, reporter: nil)
  }

  init(
    client: EventClient, stamp: @escaping @Sendable () -> EventStamp, url: @escaping @Sendable (OptimizelyRegion) -> String,
    reporter: EventReporter?
  ) {
    self.client = client
    self.stamp = stamp
    self.url = url
    self.reporter = reporter
  }
}
