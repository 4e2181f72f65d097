internal import HoistBase
internal import HoistJSON

/// Reads what the service answers of a visitor's visits (2.7; KAM-46 to KAM-53, KAM-B06, KAM-B22). What is of a wrong type
/// is left out, element by element.
struct RemoteVisitorDataReader {
  /// The most elements of one kind; further ones are left out. The newest come first.
  private static let maximumElements = 1_000

  private(set) var read = RemoteVisitorData()
  /// Elements that were left out for want of room.
  private(set) var leftOut = 0
  private let parts: RemoteVisitorDataFilter.Parts
  private let isStrictVendor: Bool
  /// Places in `read.pages`.
  private var places = BytesTable()
  /// A fault for which the vendor's SDK drops everything (§7-A15).
  private var isSpoilt = false

  /// - Returns: nil for what is no JSON object.
  static func read(
    _ body: [UInt8], _ parts: RemoteVisitorDataFilter.Parts, isStrictVendor: Bool
  ) -> (data: RemoteVisitorData, leftOut: Int)? {
    let outcome = try? body.withUnsafeBytes { text throws(JSONFailure) in
      try JSONNode.parse(text) { root -> (RemoteVisitorData, Int)? in
        guard root.object != nil else { return nil }
        var reader = RemoteVisitorDataReader(parts, isStrictVendor: isStrictVendor)
        reader.take(root)
        return reader.isSpoilt ? nil : (reader.read, reader.leftOut)
      }
    }
    return outcome ?? nil
  }

  private init(_ parts: RemoteVisitorDataFilter.Parts, isStrictVendor: Bool) {
    self.parts = parts
    self.isStrictVendor = isStrictVendor
  }

  private mutating func take(_ root: JSONNode) {
    if let current = root["currentVisit"] { take(visit: current, age: 0) }
    var history = VisitHistory(previous: [], number: 0)
    for visit in elements(root, "previousVisits") where visit.object != nil {
      guard hasRoom(history.previous.count) else { continue }
      let start = visit["timeStarted"]?.int64 ?? 0
      history.previous.append(VisitHistory.Visit(start: start, lastEvent: visit["timeLastEvent"]?.int64 ?? start))
      take(visit: visit, age: Int64(history.previous.count))
    }
    history.number = max(visitNumber, Int64(history.previous.count))
    if !history.previous.isEmpty { read.visits = history }
    read.keyMomentScores = scores(root["kcs"])?.map { KeyMomentScore(keyMomentID: $0, goalID: $1, score: $2) }
    read.banditScores = scores(root["cbs"])?.map { BanditScore(experimentID: $0, variationID: $1, score: $2) }
  }

  /// How many visits came before the current one, from the first visit that says so; 0 until then.
  private var visitNumber: Int64 = 0

  /// - Parameter age: how many visits are newer.
  private mutating func take(visit: JSONNode, age: Int64) {
    guard visit.object != nil else { return }
    if parts.contains(.visitorCode), read.visitorCode == nil {
      read.visitorCode = visit["visitorCode"]?.utf8.flatMap { $0.isEmpty ? nil : Array($0) }
    }
    takeCustomData(visit)
    takePages(visit)
    takeExperiments(visit)
    takePersonalizations(visit)
    takeConversions(visit)
    if read.geolocation == nil { read.geolocation = geolocation(visit) }
    if let data = visit["staticDataEvent"]?["data"], data.object != nil { take(staticData: data, age: age) }
  }
}

/// What a visit lists.
extension RemoteVisitorDataReader {
  /// The first visit that has an index wins, and inside a visit the last event.
  private mutating func takeCustomData(_ visit: JSONNode) {
    for (data, _) in events(visit, "customDataEvents").reversed() {
      guard let index = data["index"]?.int64, index >= 0 else { continue }
      guard let values = data["valuesCountMap"]?.object else {
        isSpoilt = isSpoilt || isStrictVendor
        continue
      }
      guard !read.customData.contains(where: { $0.index == index }), hasRoom(read.customData.count) else { continue }
      read.customData.append(CustomData(index: index, values: values.map { Array($0.name) }))
    }
  }

  /// Each view counts for its URL; the newest one gives title and time.
  private mutating func takePages(_ visit: JSONNode) {
    for (data, time) in events(visit, "pageEvents").reversed() {
      guard let url = data["href"]?.utf8, !url.isEmpty else { continue }
      if let place = places[ByteView(url)].map({ Int($0) }), place < read.pages.count {
        read.pages[place].count += 1
        continue
      }
      guard hasRoom(read.pages.count) else { continue }
      places.set(ByteView(url), to: UInt32(truncatingIfNeeded: read.pages.count))
      let title = data["title"]?.utf8.map { Array($0) }
      read.pages.append(PageVisit(url: Array(url), title: title, lastTime: time, count: 1))
    }
  }

  /// The first visit that has an experiment wins, and inside a visit the last event.
  private mutating func takeExperiments(_ visit: JSONNode) {
    for (data, time) in events(visit, "experimentEvents").reversed() {
      guard let (id, variationID) = assigned(data), !read.assignments.contains(where: { $0.experimentID == id }),
        hasRoom(read.assignments.count)
      else { continue }
      read.assignments.append(
        Assignment(experimentID: id, variationID: variationID, rule: .unknown, isUnsent: false, time: time))
    }
  }

  private mutating func takePersonalizations(_ visit: JSONNode) {
    for (data, time) in events(visit, "personalizationEvents").reversed() {
      guard let (id, variationID) = assigned(data), !read.personalizations.contains(where: { $0.id == id }),
        hasRoom(read.personalizations.count)
      else { continue }
      read.personalizations.append(PersonalizationSeen(id: id, variationID: variationID, time: time))
    }
  }

  private func assigned(_ data: JSONNode) -> (id: Int64, variationID: Int64)? {
    guard let id = data["id"]?.int64, let variationID = data["variationId"]?.int64 else { return nil }
    return (id, variationID)
  }

  private mutating func takeConversions(_ visit: JSONNode) {
    for (data, time) in events(visit, "conversionEvents") {
      guard let goal = data["goalId"]?.int64, hasRoom(read.conversions.count) else { continue }
      let conversion = Conversion(
        goalID: goal, revenue: data["revenue"]?.double ?? 0, isNegative: data["negative"]?.bool ?? false)
      read.conversions.append((conversion, time))
    }
  }

  /// Of the visit's last event.
  private func geolocation(_ visit: JSONNode) -> Geolocation? {
    guard let (data, _) = events(visit, "geolocationEvents").last, let country = data["country"]?.utf8, !country.isEmpty
    else { return nil }
    return Geolocation(
      country: Array(country), region: data["region"]?.utf8.map { Array($0) } ?? [],
      city: data["city"]?.utf8.map { Array($0) } ?? [])
  }
}

/// What a visit has one of.
extension RemoteVisitorDataReader {
  /// Each from the first visit that has it, where the filter asks for it.
  private mutating func take(staticData data: JSONNode, age: Int64) {
    if visitNumber == 0, let number = data["visitNumber"]?.int64, number > 0 {
      visitNumber = number.addingReportingOverflow(age).overflow ? .max : number + age
    }
    if parts.contains(.device), read.device == nil {
      read.device = named(data["deviceType"])
    }
    if parts.contains(.browser), read.browser == nil {
      read.browser = named(data["browser"]).map { Browser(kind: $0, version: data["browserVersion"]?.double) }
    }
    if parts.contains(.operatingSystem), read.operatingSystem == nil {
      read.operatingSystem = named(data["os"])
    }
  }

  /// Nil for what is no name, which leaves out that field alone (§7-A15).
  private mutating func named<Kind: ServiceNamed>(_ name: JSONNode?) -> Kind? {
    if let text = name?.bytes, let kind = Kind(name: text) { return kind }
    isSpoilt = isSpoilt || isStrictVendor
    return nil
  }
}

/// Parts of documents.
extension RemoteVisitorDataReader {
  private func elements(_ node: JSONNode, _ name: StaticString) -> [JSONNode] { node[name]?.array.map { Array($0) } ?? [] }

  /// The events of a list that have data, with their times; 0 for none.
  private func events(_ visit: JSONNode, _ name: StaticString) -> [(data: JSONNode, time: Int64)] {
    elements(visit, name).compactMap { event in
      guard let data = event["data"], data.object != nil else { return nil }
      return (data, event["time"]?.int64 ?? 0)
    }
  }

  /// `{"1": {"2": 33.5}}`; what has other keys, or is no number, is passed over.
  private mutating func scores(_ node: JSONNode?) -> [(outer: Int64, inner: Int64, score: Double)]? {
    guard let node, node.object != nil else { return nil }
    var scores: [(Int64, Int64, Double)] = []
    for group in node.members {
      guard let outer = id(group) else { continue }
      for entry in group.members {
        guard let inner = id(entry), let score = entry.double, hasRoom(scores.count) else { continue }
        scores.append((outer, inner, score))
      }
    }
    return scores
  }

  private func id(_ member: JSONNode) -> Int64? {
    IntegerParser.parse(ByteView(member.name), as: Int64.self, signs: .minus).value
  }

  private mutating func hasRoom(_ count: Int) -> Bool {
    if count < Self.maximumElements { return true }
    leftOut += 1
    return false
  }
}
