internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Single conditions (protocols/kameleoon.md 3.12). What cannot be read never holds; the exclusion still turns it round.
extension ConfigurationCompiler {
  private typealias Reading = @Sendable (inout ConfigurationCompiler, JSONNode, inout ConditionRecord) -> Void

  private static let readings: [(name: StaticString, kind: ConditionKind, read: Reading)] = [
    ("CUSTOM_DATUM", .customDatum, { $0.readCustomDatum($1, &$2) }),
    ("DEVICE_TYPE", .device, { $2.read($1["device"], among: Device.names, ignoresCase: true) }),
    ("OPERATING_SYSTEM", .operatingSystem, { $2.read($1["os"], among: OperatingSystem.names) }),
    ("BROWSER", .browser, { $0.readBrowser($1, &$2) }),
    ("GEOLOCATION", .geolocation, { $0.readGeolocation($1, &$2) }),
    ("APPLICATION_VERSION", .applicationVersion, { $0.readVersion($1, &$2) }),
    ("SDK_LANGUAGE", .sdkLanguage, { $0.readLanguage($1, &$2) }),
    ("VISITOR_CODE", .visitorCode, { $2.value = $0.text($1["visitorCode"], $1["matchType"]) }),
    ("PAGE_URL", .pageURL, { $2.value = $0.text($1["url"], $1["matchType"]) }),
    ("PAGE_TITLE", .pageTitle, { $2.value = $0.text($1["title"], $1["matchType"]) }),
    ("PREVIOUS_PAGE", .previousPage, { $2.value = $0.text($1["url"], $1["matchType"]) }),
    ("PAGE_VIEWS", .pageViews, { $2.readCount($1["pageCount"], $1["matchType"]) }),
    (
      "COOKIE", .cookie,
      {
        $2.name = $0.text($1["name"], $1["nameMatchType"])
        $2.value = $0.text($1["value"], $1["valueMatchType"])
      }
    ),
    (
      "CONVERSIONS", .conversions,
      {
        $2.integer = $1["goalId"]?.wholeNumber ?? -1
        if Self.isOther($1["goalId"], \.wholeNumber) { $2.kind = .never }
      }
    ),
    ("TARGET_EXPERIMENT", .targetExperiment, { $0.readExperiment($1, &$2) }),
    ("TARGET_FEATURE_FLAG", .targetFeatureFlag, { $0.readFeature($1, &$2) }),
    ("TARGET_PERSONALIZATION", .targetPersonalization, { $2.readID($1["personalizationId"]) }),
    (
      "EXCLUSIVE_EXPERIMENT", .exclusiveExperiment,
      { $2.read($1["campaignType"], among: ["EXPERIMENT", "PERSONALIZATION", "ANY"]) }
    ),
    ("SEGMENT", .segment, { $0.readSegment($1, &$2) }),
    ("VISITS", .visits, { $2.readCount($1["visitCount"], $1["matchType"]) }),
    ("SAME_DAY_VISITS", .sameDayVisits, { $2.readCount($1["visitCount"], $1["matchType"]) }),
    ("NEW_VISITORS", .newVisitors, { $2.read($1["visitorType"], among: ["NEW", "RETURNING"], ignoresCase: true) }),
    ("FIRST_VISIT", .firstVisit, { $2.readCount($1["countInMillis"], $1["matchType"]) }),
    ("LAST_VISIT", .lastVisit, { $2.readCount($1["countInMillis"], $1["matchType"]) }),
    ("HEAT_SLICE", .heatSlice, { $0.readHeatSlice($1, &$2) }),
  ]

  mutating func condition(_ node: JSONNode, _ place: ElementPlace) -> ConditionRecord {
    var record = ConditionRecord()
    record.isExcluded = node["isInclude"]?.bool == false
    record.source = builder.text(node.source ?? .noBytes)
    let type = node["targetingType"]?.bytes ?? .noBytes
    guard let reading = Self.readings.first(where: { type.reads($0.name) }) else {
      if !type.reads("EXPLICIT_TRIGGER") { bad.note(place.text, "is of a type that is not known: it never holds") }
      return record
    }
    record.kind = reading.kind
    // Of what was assigned only this visit counts, unless something else is said.
    let isOfThisVisit = [.targetExperiment, .targetFeatureFlag, .targetPersonalization].contains(reading.kind)
    let scope = node["visitScope"]?.bytes
    record.window.isCurrentVisit = scope.map { $0.reads("CURRENT_VISIT") } ?? isOfThisVisit
    if let count = node["visitCount"]?.wholeNumber, count > 0 { record.window.count = count }
    reading.read(&self, node, &record)
    if record.kind == .never { bad.note(place.text, "cannot be read: it never holds") }
    return record
  }

  /// Whether a member is there and of another type than its own: it is not as if it were missing.
  private static func isOther<Value>(_ node: JSONNode?, _ read: (JSONNode) -> Value?) -> Bool {
    node?.unlessNull.map { read($0) == nil } ?? false
  }

  /// A text, and how it is compared.
  private mutating func text(_ node: JSONNode?, _ operation: JSONNode?) -> TextTest {
    var test = TextTest()
    guard let bytes = node?.bytes else { return test }
    test.match = MatchOperator(operation)
    test.text = builder.text(bytes)
    if test.match == .regex { test.regex = expression(bytes) }
    if ![.exact, .contains, .regex].contains(test.match) { test.match = .never }
    return test
  }

  /// - Returns: none for a pattern that cannot be used, which matches nothing.
  private mutating func expression(_ pattern: ByteView) -> Place<RegexReference> {
    let key = BytesKey(pattern)
    if let known = knownExpressions[key] { return known }
    let place = compile(pattern)
    knownExpressions[key] = place
    if place.isNone { bad.note("expression", "cannot be used: it matches nothing") }
    return place
  }

  private mutating func compile(_ pattern: ByteView) -> Place<RegexReference> {
    guard let engine = options.regexEngine,
      case .success(let plain) = engine.compile(pattern: pattern.bindMemory(to: UInt8.self), caseInsensitive: false)
    else { return .none }
    var expression = plain
    if !options.searchesExpressions {
      // By itself first, so that a bracket too many does not close the group.
      plain.free(plain.code)
      let whole = Array(#"\A(?:"#.utf8) + Array(pattern) + Array(#")\z"#.utf8)
      let compiled = whole.withUnsafeBufferPointer { engine.compile(pattern: $0, caseInsensitive: false) }
      guard case .success(let wrapped) = compiled else { return .none }
      expression = wrapped
    }
    resources.add(expression)
    return builder.append(RegexReference(expression))
  }
}

/// The fields of single types.
extension ConfigurationCompiler {
  private mutating func readCustomDatum(_ node: JSONNode, _ record: inout ConditionRecord) {
    let index = node["customDataIndex"]
    // What is no number is no visitor's index.
    let digits = index?.bytes.flatMap { IntegerParser.parse($0, as: Int64.self).value }
    record.integer = digits ?? index?.wholeNumber ?? -2
    record.match = MatchOperator(node["valueMatchType"])
    let text = node["value"]?.bytes
    switch record.match {
    case .exact, .contains, .regex: record.value = self.text(node["value"], node["valueMatchType"])
    case .equal, .greater, .lower:
      let number = text.flatMap { TextNumber.parse($0, isStrict: options.isStrict) }
      (record.number, record.hasNumber) = (number ?? 0, number != nil)
    case .among: readList(text, &record)
    case .never, .undefined, .isTrue, .isFalse, .any: break
    }
  }

  private mutating func readList(_ text: ByteView?, _ record: inout ConditionRecord) {
    guard let text else { return }
    let strict = options.isStrict
    let texts = try? JSONNode.parse(text) { list in (list.array.map { $0.compactMap { Self.text(of: $0, strict) } }) ?? [] }
    let references = (texts ?? []).map { builder.text($0) }
    record.list = builder.append(contentsOf: references).offset
    record.listCount = UInt32(clamping: references.count)
  }

  /// - Parameter isStrict: 1 and 0 are true and false (A17).
  private static func text(of node: JSONNode, _ isStrict: Bool) -> [UInt8]? {
    if let text = node.bytes { return Array(text) }
    if let truth = node.bool { return Array((truth ? "true" : "false").utf8) }
    guard let number = node.double else { return nil }
    if isStrict, number == 1 || number == 0 { return Array((number == 1 ? "true" : "false").utf8) }
    if let whole = node.int64 { return Array("\(whole)".utf8) }
    return Array(JSONNumberText.text(number, .python).utf8)
  }

  private mutating func readBrowser(_ node: JSONNode, _ record: inout ConditionRecord) {
    record.read(node["browser"], among: ["CHROME", "IE", "FIREFOX", "SAFARI", "OPERA", "OTHER"])
    guard record.kind != .never, let version = node["version"]?.unlessNull else { return }
    record.match = MatchOperator(node["versionMatchType"])
    if let number = version.bytes.flatMap({ BrowserVersion.number($0) }), record.match.isForNumbers {
      (record.number, record.hasNumber) = (number, true)
    } else {
      record.kind = .never
    }
  }

  private mutating func readGeolocation(_ node: JSONNode, _ record: inout ConditionRecord) {
    guard let country = node["country"]?.bytes else { return record.kind = .never }
    record.value.text = builder.text(FullLowercase.text(country))
    if let region = node["region"]?.bytes { record.name.text = builder.text(FullLowercase.text(region)) }
    if let city = node["city"]?.bytes { record.city = builder.text(FullLowercase.text(city)) }
  }

  private mutating func readVersion(_ node: JSONNode, _ record: inout ConditionRecord) {
    record.match = MatchOperator(node["versionMatchType"])
    guard record.match.isForNumbers, let version = node["version"]?.bytes.flatMap({ DottedVersion($0) }) else {
      return record.kind = .never
    }
    record.list = builder.append(version).offset
  }

  /// Known here and now.
  private mutating func readLanguage(_ node: JSONNode, _ record: inout ConditionRecord) {
    let isNamed = node["sdkLanguage"]?.bytes.map { name in options.sdkName.withBytes { $0.hasSameBytes(as: name) } } ?? false
    var holds = isNamed
    if isNamed, let wanted = node["version"]?.unlessNull {
      let match = MatchOperator(node["versionMatchType"])
      let own = options.sdkVersion.withBytes { DottedVersion($0) }
      holds =
        own.flatMap { own in wanted.bytes.flatMap { DottedVersion($0) }.map { match.holds(own.order(against: $0)) } } ?? false
    }
    record.kind = holds ? .always : .sdkLanguage
  }

  private mutating func readExperiment(_ node: JSONNode, _ record: inout ConditionRecord) {
    record.readID(node["experimentId"])
    let match = node["variationMatchType"]?.bytes ?? .noBytes
    if match.reads("EXACT"), let variation = node["variationId"]?.wholeNumber {
      record.match = .exact
      record.other = variation
    } else if match.reads("ANY") {
      record.match = .any
    } else {
      record.kind = .never
    }
  }

  /// The experiments of the flag's rules, and which of their variations count.
  private mutating func readFeature(_ node: JSONNode, _ record: inout ConditionRecord) {
    let isUnreadable = Self.isOther(node["featureFlagId"], \.wholeNumber) || Self.isOther(node["variationKey"], \.bytes)
    if isUnreadable || Self.isOther(node["ruleId"], \.wholeNumber) { return record.kind = .never }
    guard let index = node["featureFlagId"]?.wholeNumber.flatMap({ flagsByID[$0] }) else { return }
    let flag = flags[Int(index)]
    let wanted = node["variationKey"]?.bytes
    let rule = node["ruleId"]?.wholeNumber
    var targets: [FeatureTarget] = []
    for node in elements(flag["rules"], "rules") {
      if let rule, node["id"]?.wholeNumber != rule { continue }
      var target = FeatureTarget(experimentID: node["experimentId"]?.wholeNumber ?? 0)
      if let wanted {
        let rows = elements(node["variationByExposition"], "variationByExposition")
        let ids = rows.filter { $0["variationKey"]?.bytes?.hasSameBytes(as: wanted) ?? false }.compactMap {
          $0["variationId"]?.wholeNumber
        }
        target.anyVariation = false
        target.variations = builder.append(contentsOf: ids)
        target.variationCount = UInt32(clamping: ids.count)
      }
      targets.append(target)
    }
    record.list = builder.append(contentsOf: targets).offset
    record.listCount = UInt32(clamping: targets.count)
  }

  private mutating func readSegment(_ node: JSONNode, _ record: inout ConditionRecord) {
    guard let id = node["segmentId"]?.wholeNumber, let segment = segments[id] else { return record.kind = .never }
    record.list = segment.place.offset
  }

  private mutating func readHeatSlice(_ node: JSONNode, _ record: inout ConditionRecord) {
    guard let lower = node["lowerBound"]?.double, let upper = node["upperBound"]?.double,
      let goal = node["goalId"]?.wholeNumber, let moment = node["keyMomentId"]?.wholeNumber
    else { return record.kind = .never }
    (record.number, record.upperNumber, record.integer, record.other) = (lower, upper, goal, moment)
  }
}

extension MatchOperator {
  init(_ node: JSONNode?) {
    let name = node?.bytes ?? .noBytes
    self = Self.allCases.first { $0 != .never && name.reads($0.name) } ?? .never
  }

  @inline(__always)
  func holds(_ order: Ordering) -> Bool {
    switch self {
    case .equal: order == .equal
    case .greater: order == .greater
    case .lower: order == .less
    default: false
    }
  }
}

extension ConditionRecord {
  /// The index of a name in a list; an unknown name never matches.
  fileprivate mutating func read(_ node: JSONNode?, among names: [StaticString], ignoresCase: Bool = false) {
    let name = node?.bytes ?? .noBytes
    let place = names.firstIndex { known in
      ignoresCase ? known.withBytes { ASCII.equalsIgnoringCase($0, name) } : name.reads(known)
    }
    if let place { integer = Int64(place) } else { kind = .never }
  }

  fileprivate mutating func readCount(_ node: JSONNode?, _ operation: JSONNode?) {
    match = MatchOperator(operation)
    guard match.isForNumbers, let count = node?.wholeNumber else { return kind = .never }
    integer = count
  }

  fileprivate mutating func readID(_ node: JSONNode?) {
    guard let id = node?.wholeNumber else { return kind = .never }
    integer = id
  }
}
