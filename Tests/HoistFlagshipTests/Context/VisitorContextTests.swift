import HoistBase
import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("A visitor's context (protocols/flagship.md 4.6)") struct VisitorContextTests {
  private static let automatic = AutomaticContext(
    clientName: "hoist",
    machine: {
      var facts = MachineFacts(family: "Linux", locale: "de-AT")
      (facts.systemTitle, facts.release, facts.architecture) = ("Debian GNU/Linux 12", "6.1.0", "x86_64")
      return facts
    }())

  private func context(_ pairs: [(String, AttributeValue)]) -> VisitorContext {
    var context = VisitorContext()
    context.set(pairs.map { Attribute(name: Array($0.0.utf8), value: $0.1) }) { _ in }
    return context
  }

  private func text(_ context: VisitorContext, id: String = "v") -> String {
    guard let reference = Self.automatic.reference(context, visitorID: Array(id.utf8)) else { return "" }
    return String(decoding: ContextText.json(reference.frozen), as: UTF8.self)
  }

  @Test("Texts, booleans and numbers are taken and replaced (FS-33, FS-59, FS-60; no client)")
  func textsBooleansAndNumbersAreTakenAndReplaced() {
    let context = context([
      ("s", .string(Array("x".utf8))), ("b", .bool(true)), ("i", .int(7)), ("d", .double(7.5)), ("i", .int(8)),
    ])
    #expect(
      text(context)
        == #"{"s":"x","b":true,"i":8,"d":7.5,"fs_all_users":"","fs_users":"v","fs_client":"hoist","fs_version":"0.1.0"}"#)
  }

  @Test func whatIsRefusedLeavesTheOldValueAndTheOtherPairs() {
    var context = context([("k", .int(1))])
    var refused: [VisitorContext.Refusal] = []
    let pairs = #"{"k":[1],"l":{"a":1},"m":null,"n":2,"":3,"fs_users":"x"}"#.withBytes { VisitorContext.pairs(ofJSON: $0) }
    #expect(pairs?.count == 6)
    context.set(pairs ?? []) { refused.append($0) }
    #expect(context.pairs.map { String(decoding: $0.name, as: UTF8.self) } == ["k", "n"])
    #expect(context.pairs.map(\.value) == [.int(1), .int(2)])
    #expect(
      refused == [
        .unsupported(Array("k".utf8)), .unsupported(Array("l".utf8)), .unsupported(Array("m".utf8)), .emptyKey,
        .reserved(Array("fs_users".utf8)),
      ])
  }

  /// 4.3: NaN and infinities never get into a context.
  @Test func numbersThatAreNotFiniteAreRefused() {
    var context = VisitorContext()
    #expect(throws: VisitorContext.Refusal.unusable(Array("d".utf8), .notFinite)) {
      try context.set(Array("d".utf8), .double(.nan))
    }
    #expect(throws: VisitorContext.Refusal.unusable(Array("d".utf8), .notFinite)) {
      try context.set(Array("d".utf8), .double(.infinity))
    }
  }

  @Test(
    "A pair set again keeps its place, also among many, which are found in another way (FS-59; no client)",
    arguments: [3, 16, 17, 40])
  func aPairSetAgainKeepsItsPlace(_ count: Int) throws {
    var context = VisitorContext()
    for index in 0..<count { try context.set(Array("k\(index)".utf8), .int(0)) }
    for index in (0..<count).reversed() { try context.set(Array("k\(index)".utf8), .int(Int64(index))) }
    #expect(context.pairs == (0..<count).map { Attribute(name: Array("k\($0)".utf8), value: .int(Int64($0))) })
    Self.automatic.load(into: &context, isFirstTime: false)
    let all = context.pairs.count
    Self.automatic.load(into: &context, isFirstTime: true)
    #expect(context.pairs.count == all && context.pairs[count].value == .bool(true))
    try context.set(Array("k0".utf8), .int(7))
    #expect(context.pairs.count == all && context.pairs[0].value == .int(7))
  }

  @Test func aContextHasItsLimit() {
    var context = VisitorContext()
    var refused: [VisitorContext.Refusal] = []
    context.set((0...VisitorContext.maximumPairs).map { Attribute(name: Array("k\($0)".utf8), value: .int(1)) }) {
      refused.append($0)
    }
    #expect(refused == [.tooMany])
    let held = Self.automatic.reference(context, visitorID: [1])
    withExtendedLifetime(held) { #expect(held?.frozen.attributeCount == EvaluationContext.maximumAttributes) }
  }

  @Test(
    "Predefined pairs have their key and their type (FS-61, FS-109 to FS-127, FS-200; no client)",
    arguments: [
      (PredefinedKey.firstTimeInit, "sdk_firstTimeInit", "b"), (.locale, "sdk_deviceLanguage", "s"),
      (.deviceType, "sdk_deviceType", "s"), (.deviceModel, "sdk_deviceModel", "s"), (.locationCity, "sdk_city", "s"),
      (.locationRegion, "sdk_region", "s"), (.locationCountry, "sdk_country", "s"), (.locationLatitude, "sdk_lat", "d"),
      (.locationLongitude, "sdk_long", "d"), (.osName, "sdk_osName", "s"), (.osVersionCode, "sdk_osVersionCode", "s"),
      (.osVersionName, "sdk_osVersionName", "s"), (.carrierName, "sdk_carrierName", "s"), (.devMode, "sdk_devMode", "b"),
      (.internetConnection, "sdk_internetConnection", "s"), (.appVersionName, "sdk_versionName", "s"),
      (.appVersionCode, "sdk_versionCode", "i"), (.flagshipVersion, "sdk_fsVersion", "s"),
      (.interfaceName, "sdk_interfaceName", "s"), (.ip, "sdk_ip", "a"),
    ])
  func predefinedKeysHaveTheirNameAndType(_ key: PredefinedKey, _ name: String, _ type: String) {
    #expect("\(key.name)" == name)
    #expect(Array(name.utf8).withBytes { PredefinedKey(named: $0) } == key)
    let values: [(String, AttributeValue)] = [
      ("s", .string(Array("text".utf8))), ("b", .bool(true)), ("i", .int(7)), ("d", .double(7.5)),
      ("a", .string(Array("2001:db8::1".utf8))),
    ]
    for (kind, value) in values {
      var context = VisitorContext()
      let isTaken = (try? context.set(Array(name.utf8), value)) != nil
      #expect(isTaken == (kind == type || type == "s" && kind == "a"), "\(name) \(kind)")
    }
  }

  @Test func thereAreNoOtherPredefinedKeys() {
    #expect(PredefinedKey.allCases.count == 20)
    #expect(Array("sdk_cityX".utf8).withBytes { PredefinedKey(named: $0) } == nil)
  }

  @Test(
    "The SDK says what it knows of the machine, over the host's pairs (FS-109 to FS-112, FS-118 to FS-120, FS-126, FS-128, FS-200; no client)"
  )
  func theSDKSaysWhatItKnowsOfTheMachine() {
    var context = context([("sdk_osName", .string(Array("BeOS".utf8))), ("sdk_city", .string(Array("Lyon".utf8)))])
    Self.automatic.load(into: &context, isFirstTime: true)
    #expect(
      text(context, id: "user-42")
        == #"{"sdk_osName":"Linux","sdk_city":"Lyon","sdk_firstTimeInit":true,"sdk_deviceLanguage":"de_AT","#
        + #""sdk_deviceType":"Desktop","sdk_deviceModel":"x86_64","sdk_osVersionCode":"6.1.0","#
        + #""sdk_osVersionName":"Debian GNU/Linux 12","sdk_fsVersion":"0.1.0","fs_all_users":"","fs_users":"user-42","#
        + #""fs_client":"hoist","fs_version":"0.1.0"}"#)
    // What the SDK has set may be set anew.
    try? context.set(Array("sdk_osName".utf8), .string(Array("Plan 9".utf8)))
    #expect(text(context).contains(#""sdk_osName":"Plan 9""#))
  }

  @Test func textsOfTheContextAreEscaped() {
    #expect(text(context([("a\"b", .string(Array("c\n\"d\"".utf8)))])).hasPrefix(#"{"a\"b":"c\n\"d\"","#))
  }
}
