internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Clauses, with everything read beforehand that evaluations compare (4.4, 4.5). A value that an operator has no use for is
/// left out: it never matches.
extension ServerCompiler {
  mutating func clauses(_ node: JSONNode) throws(FlagFailure) -> RecordList<ClauseRecord> {
    let source = try required(node.array("clauses"), "clauses").source
    return try shared(.clauses, source) { (compiler: inout ServerCompiler) throws(FlagFailure) in
      var clauses: [ClauseRecord] = []
      for clause in try node.objects("clauses") { clauses.append(try compiler.clause(clause)) }
      return clauses
    }
  }

  fileprivate mutating func clause(_ node: JSONNode) throws(FlagFailure) -> ClauseRecord {
    let kind = try node.text("contextKind")
    let attribute = try node.text("attribute") ?? .noBytes
    let test = ClauseOperator(try required(node.text("op"), "op"))
    var record = ClauseRecord(test: test, isNegated: try node.truth("negate"), kind: self.kind(kind))
    let values = try node.values("values") ?? []
    if test == .segment {
      let keys = values.compactMap(\.bytes)
      dependencies += keys.map { ItemName(.segment, $0) }
      var names: [NameRecord] = []
      for key in keys { names.append(name(key)) }
      record.segments = list(names)
      return record
    }
    (record.attribute, record.plain) = reference(attribute, isLiteral: kind?.isEmpty ?? true)
    read(values, into: &record)
    return record
  }

  private mutating func read(_ values: [JSONNode], into record: inout ClauseRecord) {
    switch record.test {
    case .unknown, .segment: break
    case .isIn: readMembers(values, into: &record)
    case .startsWith, .endsWith, .contains:
      var texts: [TextReference] = []
      for text in values.compactMap(\.bytes) { texts.append(builder.text(text)) }
      record.texts = list(texts)
    case .matches: record.expressions = list(values.compactMap(\.bytes).compactMap { resources.expression($0) })
    case .less, .lessOrEqual, .greater, .greaterOrEqual: record.numbers = list(values.compactMap(\.double))
    case .before, .after:
      record.numbers = list(values.compactMap { $0.double ?? $0.bytes.flatMap { DateOperand.milliseconds($0) } })
    case .versionEqual, .versionLess, .versionGreater:
      var versions: [VersionOperand] = []
      for text in values.compactMap(\.bytes) {
        guard let version = SemanticVersion(text, mayLackNumbers: true) else { continue }
        versions.append(VersionOperand(version: version, text: builder.text(text)))
      }
      record.versions = list(versions)
    }
  }

  private mutating func readMembers(_ values: [JSONNode], into record: inout ClauseRecord) {
    var containers: [TextReference] = []
    for value in values {
      switch value.kind {
      case .null: record.holdsNull = true
      case .bool: if value.bool == true { record.holdsTrue = true } else { record.holdsFalse = true }
      case .array, .object: containers.append(builder.json(value, &writer))
      case .int, .double, .string: break
      }
    }
    record.strings = table(values.compactMap(\.bytes))
    record.numbers = list(values.compactMap(\.double).sorted())
    record.texts = list(containers)
  }
}

extension ClauseOperator {
  fileprivate init(_ name: ByteView) {
    self = Self.names.first { name.reads($0.name) }?.test ?? .unknown
  }

  private static let names: [(name: StaticString, test: ClauseOperator)] = [
    ("in", .isIn), ("startsWith", .startsWith), ("endsWith", .endsWith), ("contains", .contains), ("matches", .matches),
    ("lessThan", .less), ("lessThanOrEqual", .lessOrEqual), ("greaterThan", .greater), ("greaterThanOrEqual", .greaterOrEqual),
    ("before", .before), ("after", .after), ("semVerEqual", .versionEqual), ("semVerLessThan", .versionLess),
    ("semVerGreaterThan", .versionGreater), ("segmentMatch", .segment),
  ]
}
