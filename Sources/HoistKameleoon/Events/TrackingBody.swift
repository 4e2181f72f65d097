internal import HoistBase
internal import HoistCore

/// The lines of a tracking request: visitor by visitor, each one's in the order of kinds (2.5).
struct TrackingBody {
  /// The lines of one visitor.
  fileprivate struct Section {
    var identity: TrackingIdentity
    var lines: [(place: Int64, row: TrackedRow)] = []
    /// Indexes in `lines` by the slot in which a later datum replaces an earlier one.
    var places: [Slot: Int] = [:]
  }

  /// What only one datum can have at a time.
  struct Slot: Hashable {
    var kind: UInt8
    var key: [UInt8]
  }

  private var sections: [Section] = []
  private(set) var bytes: [UInt8] = []

  /// - Parameters:
  ///   - rows: oldest first.
  ///   - recipients: the first of a subject gets the rows that are not another's own.
  init(_ rows: [(subject: [UInt8], row: TrackedRow)], to recipients: [TrackingRecipient]) {
    var sectionOf: [[UInt8]: Int] = [:]
    var firstOf: [[UInt8]: TrackingIdentity] = [:]
    for recipient in recipients where recipient.visitor != nil {
      for subject in recipient.subjects where firstOf[subject] == nil { firstOf[subject] = recipient.identity }
    }
    for (subject, row) in rows {
      let noted = TrackingIdentity(
        subject: subject, code: row.code, isMappingValue: row.bits.contains(.mappingValue), userAgent: row.userAgent)
      let identity = row.bits.contains(.own) ? noted : firstOf[subject] ?? noted
      let section = sectionOf[identity.code] ?? sections.count
      if section == sections.count {
        sectionOf[identity.code] = section
        sections.append(Section(identity: identity))
      }
      // For a visitor that is not open, the last known identity.
      sections[section].identity = identity
      sections[section].add(row)
    }
    for section in sections { write(section) }
  }

  private mutating func write(_ section: Section) {
    let data = section.lines.filter { !$0.row.isWithdrawal }
    // An activity is for who has nothing else (2.5): what was recorded while the request was made says more.
    let hasMore = data.contains { $0.row.kind != .activity }
    let lines = data.filter { !hasMore || $0.row.kind != .activity }.enumerated().sorted { left, right in
      (left.element.row.kind.rawValue, left.element.place, left.offset)
        < (right.element.row.kind.rawValue, right.element.place, right.offset)
    }
    for (index, (_, line)) in lines.enumerated() {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
      bytes.append(contentsOf: "nonce=".utf8)
      bytes.append(contentsOf: line.row.nonce)
      bytes.append(UInt8(ascii: "&"))
      bytes.append(contentsOf: line.row.line)
      EventLine.append(section.identity.isMappingValue ? "mappingValue" : "visitorCode", section.identity.code, to: &bytes)
      if index == 0, !section.identity.userAgent.isEmpty { EventLine.append("userAgent", section.identity.userAgent, to: &bytes) }
    }
  }
}

extension TrackingBody.Section {
  /// Of data that can be there once the last is sent, at the position of the first (4.3).
  fileprivate mutating func add(_ row: TrackedRow) {
    if let slot = row.slot {
      if let place = places[slot] {
        lines[place].row = row
        return
      }
      places[slot] = lines.count
    }
    lines.append((row.place, row))
  }
}

extension TrackedRow {
  /// nil for a datum that replaces no other.
  var slot: TrackingBody.Slot? {
    bits.contains(.unique) ? nil : TrackingBody.Slot(kind: kind.rawValue, key: key)
  }
}
