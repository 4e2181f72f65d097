import CJansson
import Glibc
import HoistJSON
import Synchronization
import Testing

/// The module against jansson itself: same trees, shared references, and its refusals to allocate.
@Suite struct JSONJanssonTests {
  @Test func treesAreTheOnesThatJanssonBuilds() throws {
    var random = SplitMix(state: 7)
    var accepted = 0
    for _ in 0..<4000 {
      let bytes = RandomJSON.text(&random)
      guard
        let expected = bytes.withUnsafeBytes({
          json_loadb($0.bindMemory(to: CChar.self).baseAddress, $0.count, size_t(JSON_DECODE_ANY | JSON_ALLOW_NUL), nil)
        })
      else { continue }
      defer { json_decref(expected) }
      accepted += 1
      let tree = try #require(JSONDocument(parsing: bytes).copiedPointer().map { UnsafeMutablePointer<json_t>($0) })
      defer { json_decref(tree) }
      #expect(json_equal(tree, expected) == 1, "\(String(decoding: bytes, as: UTF8.self))")
    }
    #expect(accepted > 1000)
  }

  @Test func whatJanssonRefusesAndThisModuleAcceptsIsOnlyWhatIsDocumented() {
    var random = SplitMix(state: 11)
    for _ in 0..<20_000 {
      let bytes = RandomJSON.mutated(RandomJSON.text(&random), &random)
      guard (try? JSONDocument(parsing: bytes)) != nil else { continue }
      var error = json_error_t()
      let tree = bytes.withUnsafeBytes {
        json_loadb($0.bindMemory(to: CChar.self).baseAddress, $0.count, size_t(JSON_DECODE_ANY | JSON_ALLOW_NUL), &error)
      }
      defer { json_decref(tree) }
      let reason = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let documented = ["too big", "real number overflow", "Unicode", "NUL byte in object key", "'\\u"].contains {
        reason.contains($0)
      }
      #expect(tree != nil || documented, "\(reason): \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test func aCopiedTreeIsIndependentOfItsDocument() throws {
    let copy: OpaquePointer? = try JSONDocument(parsing: Array(#"{"a":1}"#.utf8)).copiedPointer()
    let tree = try #require(copy.map { UnsafeMutablePointer<json_t>($0) })
    defer { json_decref(tree) }
    #expect(tree.pointee.refcount == 1 && JSONValue(borrowing: OpaquePointer(tree))["a"]?.int64 == 1)
  }

  @Test func aTreeThatContainsItselfIsRefused() throws {
    let outer = try #require(json_array())
    let inner = try #require(json_array())
    json_array_append_new(outer, inner)
    json_array_append_new(inner, json_incref(outer))
    #expect(throws: JSONFailure.self) { try JSONValue(borrowing: OpaquePointer(outer)).text() }
    json_array_clear(inner)
    json_decref(outer)
  }

  @Test func aTreeThatMultipliesBySharingIsRefused() throws {
    var tree = try #require(json_array())
    for _ in 0..<40 {
      let around = try #require(json_array())
      json_array_append_new(around, json_incref(tree))
      json_array_append_new(around, tree)
      tree = around
    }
    defer { json_decref(tree) }
    let limits = JSONLimits(maximumValues: 10_000)
    #expect(throws: JSONFailure.self) { try JSONValue(borrowing: OpaquePointer(tree)).text(limits: limits) }
  }

  @Test func theDeepestTreeFitsASmallStack() throws {
    let depth = JSONLimits.greatestDepth
    let json = Array((String(repeating: #"{"a":["#, count: depth / 2) + String(repeating: "]}", count: depth / 2)).utf8)
    let isDone = try onThread(stackBytes: 512 * 1024) {
      let limits = JSONLimits(maximumDepth: depth)
      guard let document = try? JSONDocument(parsing: json, limits: limits) else { return false }
      return document.withRoot { (try? $0.text(limits: limits)) == json }
    }
    #expect(isDone)
  }

  /// Each allocation of a parse fails once: every time an error, never a crash or a leak.
  @Test func aRefusedAllocationIsAnError() throws {
    FailingAllocation.install()
    let json = Array(#"{"a":[1,2.5,"x\n",{"b":null,"c\u0041":true}],"d":{"e":[[],[]]},"a":3}"#.utf8)
    var failures = 0
    for countdown in 1...200 {
      let result = FailingAllocation.after(countdown) { Result { try JSONDocument(parsing: json) } }
      guard case .failure(let error) = result else { break }
      #expect((error as? JSONFailure)?.kind == .outOfMemory)
      #expect(FailingAllocation.balance == 0)
      failures += 1
    }
    #expect(failures > 20 && failures < 200)
  }

  private func onThread(stackBytes: Int, _ body: @escaping () -> Bool) throws -> Bool {
    final class Box {
      let body: () -> Bool
      var answer = false
      init(_ body: @escaping () -> Bool) { self.body = body }
    }
    let box = Box(body)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, stackBytes)
    var thread = pthread_t()
    let started = pthread_create(
      &thread, &attributes,
      { raw in
        guard let raw else { return nil }
        let box = Unmanaged<Box>.fromOpaque(raw).takeUnretainedValue()
        box.answer = box.body()
        return nil
      }, Unmanaged.passUnretained(box).toOpaque())
    try #require(started == 0)
    pthread_join(thread, nil)
    return box.answer
  }
}

/// Makes jansson's allocations fail on one thread, at a chosen call.
private enum FailingAllocation {
  private static let thread = Atomic<UInt>(0)
  private static let countdown = Atomic<Int>(0)
  private static let live = Atomic<Int>(0)
  static var balance: Int { live.load(ordering: .relaxed) }

  static func install() {
    json_set_alloc_funcs(
      { size in
        guard FailingAllocation.isArmed else { return malloc(size) }
        guard FailingAllocation.countdown.subtract(1, ordering: .relaxed).newValue > 0 else { return nil }
        FailingAllocation.live.add(1, ordering: .relaxed)
        return malloc(size)
      },
      { pointer in
        if FailingAllocation.isArmed, pointer != nil { FailingAllocation.live.subtract(1, ordering: .relaxed) }
        free(pointer)
      })
  }

  static func after<Value>(_ calls: Int, _ body: () -> Value) -> Value {
    countdown.store(calls, ordering: .relaxed)
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    defer { thread.store(0, ordering: .relaxed) }
    live.store(0, ordering: .relaxed)
    return body()
  }

  private static var isArmed: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }
}

/// Random texts: valid ones, and such with a few bytes changed.
enum RandomJSON {
  static func text(_ random: inout SplitMix) -> [UInt8] {
    var text: [UInt8] = []
    append(&text, &random, depth: 0)
    return text
  }

  static func mutated(_ text: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var text = text
    let pieces = ["0", "\"", "\\", "{", "}", "[", "]", ",", ":", "e", ".", "-", "\\u0000", "\\ud800", "\u{e9}", "9999999999"]
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let at = Int.random(in: 0...text.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0 where at < text.count: text.remove(at: at)
      case 1 where at < text.count: text[at] = UInt8.random(in: 0...255, using: &random)
      default: text.insert(contentsOf: Array(pieces.randomElement(using: &random)?.utf8 ?? "".utf8), at: at)
      }
    }
    return text
  }

  private static func append(_ text: inout [UInt8], _ random: inout SplitMix, depth: Int) {
    switch Int.random(in: 0..<(depth < 5 ? 10 : 7), using: &random) {
    case 0: text += Array("null".utf8)
    case 1: text += Array(Bool.random(using: &random) ? "true".utf8 : "false".utf8)
    case 2: text += Array(String(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)).utf8)
    case 3, 4: appendDouble(&text, &random)
    case 5, 6: appendString(&text, &random)
    case 7, 8: appendMembers(&text, &random, depth: depth)
    default: appendElements(&text, &random, depth: depth)
    }
  }

  private static func appendDouble(_ text: inout [UInt8], _ random: inout SplitMix) {
    let value = Double(bitPattern: random.next())
    text += Array((value.isFinite ? "\(value)" : "1.25e-3").utf8)
  }

  private static func appendString(_ text: inout [UInt8], _ random: inout SplitMix) {
    let pieces = ["a", "bcdefghijk", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "é", "日本", "😀", " ", "/", "\\/"]
    text.append(0x22)
    for _ in 0..<Int.random(in: 0..<8, using: &random) {
      text += Array(pieces.randomElement(using: &random)?.utf8 ?? "".utf8)
    }
    text.append(0x22)
  }

  private static func appendMembers(_ text: inout [UInt8], _ random: inout SplitMix, depth: Int) {
    text.append(UInt8(ascii: "{"))
    for index in 0..<Int.random(in: 0..<12, using: &random) {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendString(&text, &random)
      text += [UInt8(ascii: ":"), 0x20]
      append(&text, &random, depth: depth + 1)
    }
    text.append(UInt8(ascii: "}"))
  }

  private static func appendElements(_ text: inout [UInt8], _ random: inout SplitMix, depth: Int) {
    text.append(UInt8(ascii: "["))
    for index in 0..<Int.random(in: 0..<6, using: &random) {
      if index > 0 { text += Array(" ,\n".utf8) }
      append(&text, &random, depth: depth + 1)
    }
    text.append(UInt8(ascii: "]"))
  }
}
