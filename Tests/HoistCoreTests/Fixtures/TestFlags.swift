import HoistBase
@testable import HoistCore

/// What a flag of the tests answers.
enum TestAnswer {
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case json(String)
  /// An attribute of the call's context, else of the client's own, as text.
  case attribute(String)
  /// The targeting key of the call's context.
  case targetingKey
  case failing(ErrorCode)
}

/// The record of one flag, as a provider would lay it out.
struct TestRecord: BitwiseCopyable {
  enum Kind: UInt8 { case bool, int, double, string, json, attribute, targetingKey, failing }
  var head: FlagHead
  var kind: Kind
  var isAnnounced: Bool
  var isRecorded: Bool
  var code: ErrorCode = .none
  var integer: Int64 = 0
  var number: Double = 0
  var text = TextReference.none
  var variation = TextReference.none
}

/// Configurations for tests: two counters a flag, the second one for evaluations of another type.
enum TestFlags {
  static func snapshot(
    _ flags: [(String, TestAnswer)], announced: Set<String> = [], recorded: Set<String> = [], variation: String = "",
    resources: AnyObject? = nil, hasRoom: Bool = false
  ) -> Snapshot? {
    var builder = SnapshotBuilder()
    let variation = variation.isEmpty ? TextReference.none : builder.text(variation)
    for (name, answer) in flags {
      let reference = builder.text(name)
      var record = TestRecord(
        head: FlagHead(name: reference, firstCell: builder.cells(2), cellCount: 2), kind: .bool,
        isAnnounced: announced.contains(name), isRecorded: recorded.contains(name))
      record.variation = variation
      switch answer {
      case .bool(let flag): (record.kind, record.integer) = (.bool, flag ? 1 : 0)
      case .int(let whole): (record.kind, record.integer) = (.int, whole)
      case .double(let real): (record.kind, record.number) = (.double, real)
      case .string(let text): (record.kind, record.text) = (.string, builder.text(text))
      case .json(let text): (record.kind, record.text) = (.json, builder.text(text))
      case .attribute(let name): (record.kind, record.text) = (.attribute, builder.text(name))
      case .targetingKey: record.kind = .targetingKey
      case .failing(let code): (record.kind, record.code) = (.failing, code)
      }
      let offset = builder.append(record)
      builder.addFlag(record: offset, name: reference)
    }
    return builder.finish(evaluate: evaluate, resources: resources, hasRoom: hasRoom)
  }

  /// Boolean flags of these names, all on or all off.
  static func switches(_ names: [String], _ value: Bool = true) -> Snapshot? {
    snapshot(names.map { ($0, .bool(value)) })
  }

  static let evaluate: EvaluateFunction = { base, raw, context, result in
    let record = raw.assumingMemoryBound(to: TestRecord.self).pointee
    let evaluation = result.assumingMemoryBound(to: Evaluation.self)
    evaluation.pointee.enabled = true
    evaluation.pointee.reason = .static
    evaluation.pointee.firstCell = record.head.firstCell
    if record.isAnnounced { evaluation.pointee.effects.insert(.impression) }
    if record.isRecorded { evaluation.pointee.effects.insert(.record) }
    if !record.variation.isNone { evaluation.pointee.variation = record.variation.bytes(base) }
    switch record.kind {
    case .bool: (evaluation.pointee.kind, evaluation.pointee.integer) = (.bool, record.integer)
    case .int: (evaluation.pointee.kind, evaluation.pointee.integer) = (.int, record.integer)
    case .double: (evaluation.pointee.kind, evaluation.pointee.number) = (.double, record.number)
    case .string: (evaluation.pointee.kind, evaluation.pointee.text) = (.string, record.text.bytes(base))
    case .json: (evaluation.pointee.kind, evaluation.pointee.text) = (.json, record.text.bytes(base))
    case .attribute:
      let name = record.text.bytes(base)
      let hash = Hash64.hash(name)
      let found = [context, evaluation.pointee.inherited].lazy.compactMap { $0 }
        .compactMap { FrozenContext($0).find(name, hash: hash) }.first
      guard let found else { return evaluation.pointee.fail(.invalidContext, "no such attribute") }
      (evaluation.pointee.kind, evaluation.pointee.text) = (.string, found.pointee.textBytes)
    case .targetingKey:
      guard let key = context.flatMap({ FrozenContext($0).targetingKey }) else {
        return evaluation.pointee.fail(.targetingKeyMissing, "no key")
      }
      (evaluation.pointee.kind, evaluation.pointee.text) = (.string, key)
    case .failing:
      evaluation.pointee.fail(record.code, "as the test wants it")
    }
    let wanted = evaluation.pointee.want
    if wanted != .any, wanted.rawValue != evaluation.pointee.kind.rawValue, evaluation.pointee.errorCode == .none {
      evaluation.pointee.errorCode = .typeMismatch
      evaluation.pointee.reason = .error
      evaluation.pointee.kind = .none
      evaluation.pointee.secondCell = record.head.firstCell + 1
    }
  }
}

extension Snapshot {
  func find(_ name: String) -> UnsafeRawPointer? { name.withBytes { find($0) } }
  func text(of record: UnsafeRawPointer) -> String { UTF8Text.repaired(name(of: record)) }
  var names: [String] { (0..<flagCount).map { text(of: record(at: $0)) } }

  /// Everything counted since the last call, by flag name and cell.
  func counts() -> [String: UInt64] {
    var totals: [String: UInt64] = [:]
    drain { record, cell, count in totals["\(text(of: record))/\(cell)", default: 0] += count }
    return totals
  }
}
