internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What is told of an evaluation of the core beyond its value.
enum KameleoonMetadata {
  /// A JSON object: ids of rule, experiment and variation, null where no rule decided, and the variation's name.
  static func json(_ evaluation: borrowing Evaluation, _ base: UnsafeRawPointer) -> [UInt8] {
    guard evaluation.outcome.variation != 0 else { return Array("{}".utf8) }
    let row: UnsafePointer<RowRecord> = base.at(evaluation.outcome.variation)
    let rule: UnsafePointer<RuleRecord>? = row.pointee.rule == 0 ? nil : base.at(row.pointee.rule)
    let variation: UnsafePointer<VariationRecord>? = row.pointee.variation == 0 ? nil : base.at(row.pointee.variation)
    var writer = JSONWriter()
    writer.object { writer in
      for (name, id) in [
        ("ruleId", rule?.pointee.id), ("experimentId", rule?.pointee.experimentID),
        ("variationId", row.pointee.variationID == -1 ? nil : row.pointee.variationID),
      ] {
        writer.key(name)
        if let id { writer.int(id) } else { writer.null() }
      }
      if let variation { writer.member("variationName", variation.pointee.name.bytes(base)) }
    }
    return writer.bytes
  }
}
