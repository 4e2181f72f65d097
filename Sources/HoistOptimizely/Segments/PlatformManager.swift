public import HoistCore
internal import HoistBase

/// Options of one fetch of segments.
public struct SegmentFetchOptions: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Neither reads nor writes the cache.
  public static var ignoreCache: SegmentFetchOptions { SegmentFetchOptions(rawValue: 1) }
  /// Clears the cache of all users first.
  public static var resetCache: SegmentFetchOptions { SegmentFetchOptions(rawValue: 2) }
}

/// A host's own data platform, in place of the service's (row OPT-06). Called on a lane, one call at a time; may block.
public protocol PlatformManager: AnyObject, Sendable {
  /// Whether it brings segments; otherwise they are the service's.
  var fetchesSegments: Bool { get }
  /// Whether it takes events; otherwise they are the service's.
  var takesEvents: Bool { get }
  func segments(of userID: [UInt8], _ options: SegmentFetchOptions) -> Result<[[UInt8]], PlatformFailure>
  /// - Parameters: `identifiers` and `data` are JSON objects.
  func send(type: String, action: String, identifiers: [UInt8], data: [UInt8]) -> Status
}

/// A host's data platform behind a lane of its own, so that one that hangs affects only its own results.
final class ManagerLane: Sendable {
  let manager: any PlatformManager
  private let lane: Lane
  private let log: Log
  private let fetchLimit: Int64
  private let eventLimit: Int64

  init(_ manager: any PlatformManager, host: any ProviderHost, settings: PlatformSettings) {
    self.manager = manager
    log = host.log
    lane = Lane(options: Lane.Options(name: "hoist-odp"), clock: host.clock, scheduler: host.scheduler)
    fetchLimit = settings.fetchTimeoutMilliseconds &* 1_000_000
    eventLimit = settings.eventTimeoutMilliseconds &* 1_000_000
  }

  /// `completion` runs on the scheduler's thread.
  func segments(
    of userID: [UInt8], _ options: SegmentFetchOptions,
    completion: @escaping @Sendable (Result<[[UInt8]], PlatformFailure>) -> Void
  ) {
    let manager = manager
    lane.ask(withinNanoseconds: fetchLimit) {
      manager.segments(of: userID, options)
    } answer: { found in
      completion(found ?? .failure(.fetchFailed("the ODP manager did not answer in time")))
    }
  }

  /// - Returns: false when too much waits already.
  func send(type: String, action: String, identifiers: [UInt8], data: [UInt8]) -> Bool {
    let (manager, log) = (manager, log)
    return lane.perform(withinNanoseconds: eventLimit) {
      let status = manager.send(type: type, action: action, identifiers: identifiers, data: data)
      if status != .ok { log.warning("the ODP manager refused an event with status \(status.rawValue)") }
    } abandoned: {
      log.warning("the ODP manager did not take an event in time")
    }
  }

  /// `completion` runs on the scheduler's thread when what was sent before has been taken; with false when that takes too
  /// long.
  func flush(completion: @escaping @Sendable (Bool) -> Void) {
    lane.ask(withinNanoseconds: eventLimit) {
      true
    } answer: {
      completion($0 ?? false)
    }
  }

  /// No call begins any more; one that runs is not waited for.
  func close() { lane.close() }
  func reopen() { lane.reopen() }
}

extension OptimizelyPlatformPlugin {
  /// Its name in `Plugins.vendor`; a `PlatformManager`.
  public static var key: String { "optimizely.odp" }
}

/// Names the data platform among plug-ins.
public enum OptimizelyPlatformPlugin {}
