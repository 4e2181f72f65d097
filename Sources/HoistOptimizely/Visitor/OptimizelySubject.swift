internal import HoistBase
internal import Glibc

/// What the provider passes into an evaluation beside the context: forced decisions and variations, the stored
/// profile, segments, and answers of the prediction server.
public struct SubjectContent: Sendable, Equatable {
  public struct ForcedDecision: Sendable, Equatable {
    public var flagKey: [UInt8]
    /// Nil forces the flag as a whole.
    public var ruleKey: [UInt8]?
    public var variationKey: [UInt8]
    public init(flagKey: [UInt8], ruleKey: [UInt8]?, variationKey: [UInt8]) {
      self.flagKey = flagKey
      self.ruleKey = ruleKey
      self.variationKey = variationKey
    }
  }

  public struct Assignment: Sendable, Equatable {
    public var experimentID: [UInt8]
    public var variationID: [UInt8]
    public init(experimentID: [UInt8], variationID: [UInt8]) {
      self.experimentID = experimentID
      self.variationID = variationID
    }
  }

  public struct Prediction: Sendable, Equatable {
    public var experimentID: [UInt8]
    /// The UUID of the request that was answered.
    public var uuid: [UInt8]
    /// Nil: the server could not be asked, which makes an error decision.
    public var variationID: [UInt8]?
    public init(experimentID: [UInt8], uuid: [UInt8], variationID: [UInt8]?) {
      self.experimentID = experimentID
      self.uuid = uuid
      self.variationID = variationID
    }
  }

  /// At most one for each flag and rule.
  public var forcedDecisions: [ForcedDecision] = []
  /// Set by `setForcedVariation`; by experiment id.
  public var forcedVariations: [Assignment] = []
  /// The visitor's stored profile.
  public var assignments: [Assignment] = []
  /// Nil when segments were never fetched, or the last fetch failed.
  public var segments: [[UInt8]]?
  public var predictions: [Prediction] = []

  public init() {}

  /// Nothing in it changes a decision.
  public var isEmpty: Bool {
    forcedDecisions.isEmpty && forcedVariations.isEmpty && assignments.isEmpty && segments?.isEmpty ?? true
      && predictions.isEmpty
  }
}

/// A `SubjectContent` as evaluators read it. Immutable; any thread.
public final class OptimizelySubject: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer?
  private let block: UnsafeMutablePointer<SubjectState>

  /// - Returns: nil when memory ran out.
  public init?(_ content: SubjectContent) {
    var plan = Plan()
    for forced in content.forcedDecisions { plan.add(forced.flagKey, forced.ruleKey, forced.variationKey, to: 0) }
    for forced in content.forcedVariations { plan.add(forced.experimentID, nil, forced.variationID, to: 1) }
    for assignment in content.assignments { plan.add(assignment.experimentID, nil, assignment.variationID, to: 2) }
    for prediction in content.predictions { plan.add(prediction.experimentID, prediction.uuid, prediction.variationID, to: 3) }
    for segment in content.segments ?? [] { plan.add(segment, nil, nil, to: 4) }
    guard let memory = calloc(1, plan.byteCount) else { return nil }
    self.memory = memory
    block = memory.bindMemory(to: SubjectState.self, capacity: 1)
    block.initialize(to: plan.write(to: memory))
  }

  deinit { free(memory) }

  /// What `Evaluation.subject` takes; valid as long as this object.
  public var state: UnsafeRawPointer { UnsafeRawPointer(block) }
  /// To be laid together with other subjects' tables.
  var tables: SubjectState { block.pointee }

  private struct Plan {
    private typealias Row = (hash: UInt64, first: [UInt8], second: [UInt8]?, value: [UInt8]?)
    private var rows: [[Row]] = [[], [], [], [], []]
    private var textBytes = 0

    mutating func add(_ first: [UInt8], _ second: [UInt8]?, _ value: [UInt8]?, to table: Int) {
      rows[table].append((first.withUnsafeBytes { Hash64.hash($0) }, first, second, value))
      textBytes += first.count + (second?.count ?? 0) + (value?.count ?? 0)
    }

    private var head: Int { (MemoryLayout<SubjectState>.size + 15) & ~15 }
    private var entryBytes: Int { rows.reduce(0) { $0 + $1.count } * MemoryLayout<SubjectEntry>.stride }
    var byteCount: Int { head + entryBytes + textBytes }

    /// Tables are searched by their hashes; of rows with one key the first counts.
    func write(to memory: UnsafeMutableRawPointer) -> SubjectState {
      var entry = (memory + head).assumingMemoryBound(to: SubjectEntry.self)
      var text = memory + head + entryBytes
      func keep(_ bytes: [UInt8]?) -> ByteView {
        guard let bytes, !bytes.isEmpty else { return .noBytes }
        bytes.withUnsafeBytes { source in
          if let start = source.baseAddress { memcpy(text, start, source.count) }
        }
        defer { text += bytes.count }
        return ByteView(start: text, count: bytes.count)
      }
      let tables = rows.map { rows in
        let table = SubjectTable(entries: UnsafePointer(entry), count: rows.count)
        let ordered = rows.enumerated().sorted { ($0.element.hash, $0.offset) < ($1.element.hash, $1.offset) }
        for (_, row) in ordered {
          entry.initialize(
            to: SubjectEntry(
              hash: row.hash, first: keep(row.first), second: keep(row.second), value: keep(row.value),
              hasSecond: row.second != nil, hasValue: row.value != nil))
          entry += 1
        }
        return table
      }
      return SubjectState(
        forcedDecisions: tables[0], forcedVariations: tables[1], assignments: tables[2], predictions: tables[3],
        segments: tables[4])
    }
  }
}
