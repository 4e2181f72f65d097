internal import HoistBase
public import HoistCore
internal import HoistJSON
internal import Synchronization

/// Fetching audience segments (OPT-67, protocols/optimizely.md 5.7).
extension OptimizelyUser {
  /// Until the fetch has succeeded, the user has no segments.
  /// - Parameter completion: once, unless this throws; on the delivery lane, or in the call that closes the client.
  public func fetchSegments(
    _ options: SegmentFetchOptions, completion: (@Sendable (Status) -> Void)?
  ) throws(PlatformFailure) {
    let (client, segments) = try dataPlatform()
    let refusal = client.promise(completion) { tell in
      fetch(from: segments, options) { tell($0?.status ?? .ok) }
      return .ok
    }
    if refusal != .ok { throw refusal == .state ? .closed : .fetchFailed("too many calls are under way") }
  }

  /// The same, waiting for its end; after a timeout the fetch goes on.
  public func fetchSegmentsAndWait(_ options: SegmentFetchOptions, timeoutMilliseconds: Int64) throws(PlatformFailure) {
    if Thread.isOwn { throw .ownThread }
    let (_, segments) = try dataPlatform()
    let answer = Completion<PlatformFailure?>()
    fetch(from: segments, options) { answer.give($0) }
    let deadline = Deadline.nanoseconds(afterMilliseconds: timeoutMilliseconds)
    guard let outcome = answer.wait(untilNanoseconds: deadline) else { throw .timeout }
    if let failure = outcome { throw failure }
  }

  private func dataPlatform() throws(PlatformFailure) -> (Client, SegmentsService) {
    guard let client, let provider = client.provider as? OptimizelyProvider else { throw .clientGone }
    if client.isClosed { throw .closed }
    client.resumeAfterFork()
    guard let platform = provider.platform else { throw .notEnabled }
    return (client, platform.segments)
  }

  private func fetch(
    from service: SegmentsService, _ options: SegmentFetchOptions, completion: @escaping @Sendable (PlatformFailure?) -> Void
  ) {
    let mine = segmentFetches.wrappingAdd(1, ordering: .relaxed).newValue
    setSegments(nil)
    service.fetch(id, options) { [weak self] result in
      switch result {
      case .success(let segments):
        if let self, segmentFetches.load(ordering: .relaxed) == mine { setSegments(segments) }
        completion(nil)
      case .failure(let failure): completion(failure)
      }
    }
  }

  /// The segments as a JSON array; nil when there are none to speak of.
  public var segmentsText: [UInt8]? {
    guard let segments else { return nil }
    var writer = JSONWriter()
    writer.array { writer in
      for segment in segments { segment.withUnsafeBufferPointer { writer.string(utf8: $0) } }
    }
    return writer.bytes
  }
}
