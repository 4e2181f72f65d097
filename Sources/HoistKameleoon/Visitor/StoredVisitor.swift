internal import HoistJSON

/// The stored record of a visitor: its data, or a link to the visitor whose data it shares. Behind data there may be lines, each
/// of what has come since (`addition`).
enum StoredVisitor {
  case visitor(VisitorFacts.Content, VisitorRest)
  case link(owner: [UInt8], isUnique: Bool)

  /// The form that is written, and the only one that is read.
  private static let version: Int64 = 1

  static func link(to owner: [UInt8], isUnique: Bool) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("version")
      writer.int(version)
      writer.key("owner")
      writer.text(owner)
      writer.key("unique")
      writer.bool(isUnique)
    }
    return writer.bytes
  }

  /// Scores, and variations that are forced or simulated, are of this process alone.
  static func json(_ content: VisitorFacts.Content, _ rest: VisitorRest) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 256 + content.assignments.entries.count * 40)
    writer.object { writer in
      write(headOf: content, rest, to: &writer)
      write(content, rest, to: &writer)
    }
    return writer.bytes
  }

  /// How the record begins: with all that an addition does not speak of.
  static func head(_ content: VisitorFacts.Content, _ rest: VisitorRest) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { write(headOf: content, rest, to: &$0) }
    return writer.bytes.dropLast()
  }

  /// A line to be put behind the record.
  /// - Parameter changes: as `KeptVisitor.additions` has them.
  static func addition(_ changes: KeptVisitor) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { write(changes.content, changes.rest, to: &$0) }
    return [lineEnd] + writer.bytes
  }

  private static let lineEnd = UInt8(ascii: "\n")

  private static func write(headOf content: VisitorFacts.Content, _ rest: VisitorRest, to writer: inout JSONWriter) {
    writer.key("version")
    writer.int(version)
    writer.key("code")
    writer.text(content.code)
    if let mapping = content.mappingIdentifier {
      writer.key("mapping")
      writer.text(mapping)
    }
    writer.key("consent")
    writer.int(Int64(content.consent.rawValue))
    writer.key("unique")
    writer.bool(rest.isUnique)
  }

  private static func write(_ content: VisitorFacts.Content, _ rest: VisitorRest, to writer: inout JSONWriter) {
    writer.integers("counts", [[rest.conversionCount, rest.mappingIndex ?? -1, rest.hasRemoteHistory ? 1 : 0]])
    writer.integers("visit", [[content.visitStart, content.lastEvent, content.visits?.number ?? 0]])
    writer.integers("visits", content.visits?.previous.map { [$0.start, $0.lastEvent] } ?? [])
    writer.rows("data", data(content, rest)) { writer, item in
      writer.int(item.time)
      item.datum.write(to: &writer)
    }
    writer.rows("pages", content.pages) { writer, page in
      writer.text(page.url)
      if let title = page.title { writer.text(title) } else { writer.null() }
      writer.int(page.lastTime)
      writer.int(page.count)
    }
    writer.integers("conversions", content.conversions.map { [$0.goalID, $0.time] })
    writer.integers("personalizations", content.personalizations.map { [$0.id, $0.variationID, $0.time] })
    writer.integers(
      "assignments",
      content.assignments.entries.map {
        [$0.experimentID, $0.variationID, Int64($0.rule.rawValue), $0.time]
      })
    if !rest.segments.isEmpty { writer.integers("segments", [rest.segments]) }
    if !rest.fetched.isEmpty { writer.integers("fetched", [rest.fetched]) }
    writer.rows("aside", rest.aside) { writer, item in
      writer.int(item.time)
      writer.bool(item.isTracked)
      writer.text(item.code)
      item.datum.write(to: &writer)
    }
  }

  /// With their times.
  private static func data(_ content: VisitorFacts.Content, _ rest: VisitorRest) -> [(datum: VisitorDatum, time: Int64)] {
    var data: [(datum: VisitorDatum, time: Int64)] = content.customData.map {
      (.customData(CustomData(index: $0.index, values: $0.values, overwrites: $0.overwrites)), $0.time)
    }
    let times = rest.times
    if let device = content.device { data.append((.device(device), times.device)) }
    if let browser = content.browser { data.append((.browser(browser), times.browser)) }
    if let system = content.operatingSystem { data.append((.operatingSystem(system), times.operatingSystem)) }
    if let place = content.geolocation { data.append((.geolocation(place), times.geolocation)) }
    if let version = content.applicationVersion { data.append((.applicationVersion(version), times.applicationVersion)) }
    if !content.cookies.isEmpty { data.append((.cookie(content.cookies), times.cookies)) }
    if !rest.userAgent.isEmpty { data.append((.userAgent(rest.userAgent), times.userAgent)) }
    return data
  }
}

extension StoredVisitor {
  /// Whether the visitor has refused to consent.
  var isRefusal: Bool { if case .visitor(let content, _) = self { content.consent == .refused } else { false } }

  /// nil for what cannot be read. What is missing in it is nothing.
  init?(json: [UInt8]) {
    var unread = 0
    self.init(json: json, unread: &unread)
  }

  /// - Parameter unread: counts the lines that are torn, or of another form.
  init?(json: [UInt8], unread: inout Int) {
    let lines = json.split(separator: Self.lineEnd)
    guard let first = lines.first, let record = Self.parsed(first, { StoredVisitor($0) }) else { return nil }
    self = record
    guard lines.count > 1, case .visitor(let content, let rest) = record else { return }
    var visitor = KeptVisitor(content: content, rest: rest)
    for line in lines.dropFirst() {
      let added = Self.parsed(line) { $0["counts"] == nil ? nil : Self.state($0, code: content.code) }
      if let added { visitor = added.laid(over: visitor) } else { unread += 1 }
    }
    visitor.keepLimits()
    self = .visitor(visitor.content, visitor.rest)
  }

  private static func parsed<Value>(_ line: ArraySlice<UInt8>, _ read: (JSONNode) -> Value?) -> Value? {
    let found: Value?? = try? line.withUnsafeBytes { bytes throws(JSONFailure) in try JSONNode.parse(bytes) { read($0) } }
    return found ?? nil
  }

  private init?(_ root: JSONNode) {
    guard root["version"]?.int64 == Self.version else { return nil }
    if let owner = root["owner"]?.utf8 {
      self = .link(owner: Array(owner), isUnique: root["unique"]?.bool ?? false)
      return
    }
    guard let code = root["code"]?.utf8 else { return nil }
    var visitor = Self.state(root, code: Array(code))
    visitor.content.mappingIdentifier = root["mapping"]?.utf8.map { Array($0) }
    visitor.content.consent = LegalConsent(rawValue: Int32(clamping: root["consent"]?.int64 ?? 0)) ?? .unknown
    visitor.rest.isUnique = root["unique"]?.bool ?? false
    self = .visitor(visitor.content, visitor.rest)
  }

  /// All but the head.
  private static func state(_ root: JSONNode, code: [UInt8]) -> KeptVisitor {
    var counts = KeptParts(root["counts"]?.array?.first)
    var visit = KeptParts(root["visit"]?.array?.first)
    var content = VisitorFacts.Content(code: code, visitStart: visit.integer())
    content.lastEvent = visit.integer()
    var rest = VisitorRest()
    rest.conversionCount = counts.integer()
    let mapping = counts.integer(else: -1)
    rest.mappingIndex = mapping < 0 ? nil : mapping
    rest.hasRemoteHistory = counts.integer() == 1
    let visits = root.elements("visits") { VisitHistory.Visit(start: $0.integer(), lastEvent: $0.integer()) }
    if !visits.isEmpty { content.visits = VisitHistory(previous: visits, number: visit.integer()) }
    for (time, datum) in root.elements("data", { ($0.integer(), $0.next().flatMap { VisitorDatum($0) }) }) {
      if let datum { take(datum, time, &content, &rest) }
    }
    content.pages = root.elements("pages") {
      PageVisit(url: $0.text(), title: $0.next()?.utf8.map { Array($0) }, lastTime: $0.integer(), count: $0.integer())
    }
    content.conversions = root.elements("conversions") { GoalReached(goalID: $0.integer(), time: $0.integer()) }
    content.personalizations = root.elements("personalizations") {
      PersonalizationSeen(id: $0.integer(), variationID: $0.integer(), time: $0.integer())
    }
    content.assignments = AssignmentTable(
      root.elements("assignments") {
        Assignment(
          experimentID: $0.integer(), variationID: $0.integer(),
          rule: RuleType(rawValue: UInt8(clamping: $0.integer())) ?? .unknown,
          // The tracker knows what waits: a repeated decision replaces a waiting one.
          isUnsent: false, time: $0.integer())
      })
    rest.segments = root["segments"]?.array?.first?.array?.compactMap(\.int64) ?? []
    rest.fetched = root["fetched"]?.array?.first?.array?.compactMap(\.int64) ?? []
    rest.aside = root.elements("aside") {
      let (time, isTracked, code) = ($0.integer(), $0.bool(), $0.text())
      return $0.next().flatMap { VisitorDatum($0) }.map { DatumAside(datum: $0, code: code, isTracked: isTracked, time: time) }
    }.compactMap { $0 }
    return KeptVisitor(content: content, rest: rest)
  }

  private static func take(
    _ datum: VisitorDatum, _ time: Int64, _ content: inout VisitorFacts.Content, _ rest: inout VisitorRest
  ) {
    switch datum {
    case .customData(let data):
      content.customData.append(
        CustomDatum(index: data.index, values: data.values, overwrites: data.overwrites, time: time))
    case .device(let device): (content.device, rest.times.device) = (device, time)
    case .browser(let browser): (content.browser, rest.times.browser) = (browser, time)
    case .operatingSystem(let system): (content.operatingSystem, rest.times.operatingSystem) = (system, time)
    case .geolocation(let place): (content.geolocation, rest.times.geolocation) = (place, time)
    case .applicationVersion(let version): (content.applicationVersion, rest.times.applicationVersion) = (version, time)
    case .cookie(let cookies): (content.cookies, rest.times.cookies) = (cookies, time)
    case .userAgent(let text): (rest.userAgent, rest.times.userAgent) = (text, time)
    case .conversion, .pageView, .uniqueIdentifier: break
    }
  }
}

extension JSONNode {
  /// The elements of a member that is an array of arrays.
  fileprivate func elements<Element>(_ name: StaticString, _ read: (inout KeptParts) -> Element) -> [Element] {
    guard let array = self[name]?.array else { return [] }
    return array.map { node in
      var parts = KeptParts(node)
      return read(&parts)
    }
  }
}

extension JSONWriter {
  /// A member that is an array of arrays; none where there is no row.
  fileprivate mutating func rows<Row>(_ name: String, _ rows: [Row], _ write: (inout JSONWriter, Row) -> Void) {
    if rows.isEmpty { return }
    key(name)
    array { writer in for row in rows { writer.array { write(&$0, row) } } }
  }

  fileprivate mutating func integers(_ name: String, _ rows: [[Int64]]) {
    self.rows(name, rows) { writer, row in for value in row { writer.int(value) } }
  }
}

/// The elements of an array, one after the other; missing ones, or ones of another kind, are skipped.
struct KeptParts {
  private var iterator: JSONNodes.Iterator?

  init(_ node: JSONNode?) { iterator = node?.array?.makeIterator() }

  mutating func next() -> JSONNode? { iterator?.next() }
  mutating func integer(else other: Int64 = 0) -> Int64 { next()?.int64 ?? other }
  mutating func bool() -> Bool { next()?.bool ?? false }
  mutating func text() -> [UInt8] { next()?.utf8.map { Array($0) } ?? [] }
}
