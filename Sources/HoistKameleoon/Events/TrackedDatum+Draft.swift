internal import HoistBase

/// What a line is made of, where it is made later: assignments, custom data, and conversions without metadata.
extension TrackedDatum {
  private static let overwrites: UInt64 = 1
  private static let mapping: UInt64 = 2

  /// nil for a line that is made at once.
  var draftBytes: Int? {
    switch content {
    case .assignment: 8
    case .conversion(let conversion): conversion.metadata.isEmpty ? 24 : nil
    case .customData(let data, _): data.values.reduce(16) { $0 + PartWriter.bytes(of: $1.count) }
    default: nil
    }
  }

  /// Where there is room for it.
  func writeDraft(to writer: inout PartWriter) {
    switch content {
    case .assignment(let assignment): writer.word(UInt64(bitPattern: assignment.variationID))
    case .conversion(let conversion):
      writer.word(UInt64(bitPattern: conversion.goalID))
      writer.word(conversion.revenue.bitPattern)
      writer.word(conversion.isNegative ? 1 : 0)
    case .customData(let data, let isMapping):
      writer.word(UInt64(bitPattern: data.index))
      writer.word((data.overwrites ? Self.overwrites : 0) | (isMapping ? Self.mapping : 0))
      for value in data.values { value.withUnsafeBytes { writer.part($0) } }
    default: break
    }
  }

  /// - Parameter draft: what `writeDraft` wrote.
  static func line(_ kind: Kind, _ experimentID: Int64, _ draft: ByteView) -> [UInt8] {
    var reader = PartReader(draft)
    func word() -> UInt64 { reader.word() ?? 0 }
    let content: Content
    switch kind {
    case .assignment:
      content = .assignment(
        Assignment(experimentID: experimentID, variationID: Int64(bitPattern: word()), rule: .unknown, isUnsent: true, time: 0))
    case .conversion:
      content = .conversion(
        Conversion(goalID: Int64(bitPattern: word()), revenue: Double(bitPattern: word()), isNegative: word() != 0))
    default:
      let (index, bits) = (Int64(bitPattern: word()), word())
      var data = CustomData(index: index, values: [], overwrites: bits & overwrites != 0)
      while let value = reader.part() { data.values.append(Array(value)) }
      content = .customData(data, isMapping: bits & mapping != 0)
    }
    return TrackedDatum(kind: kind, key: nil, place: 0, content: content).line
  }
}
