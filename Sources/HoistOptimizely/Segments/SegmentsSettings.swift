internal import HoistBase
public import HoistCore

/// What a datafile says of the data platform (protocols/optimizely.md 2.1, 2.3).
public struct SegmentsSettings: Sendable, Equatable {
  /// Nil where the datafile has no such integration: nothing is asked and nothing sent then.
  public let host: String?
  public let apiKey: String?
  /// The segments that typed audiences ask for, each once.
  public let segments: [[UInt8]]

  public init(_ snapshot: Snapshot) {
    let root = OptimizelyFlags.root(snapshot)
    func text(_ reference: TextReference) -> String? {
      reference.isNone ? nil : String(decoding: reference.bytes(snapshot.base), as: UTF8.self)
    }
    host = text(root.pointee.segmentsHost)
    apiKey = text(root.pointee.segmentsKey)
    let names = snapshot.base.at(root.pointee.segments)
    segments = (0..<Int(root.pointee.segmentCount)).map { Array(names[$0].bytes(snapshot.base)) }
  }
}
