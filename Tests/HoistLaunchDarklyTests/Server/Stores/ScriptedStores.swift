import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistLaunchDarkly

/// A store of big segments that answers what the test says.
final class ScriptedSegments: BigSegmentStore, @unchecked Sendable {
  /// Hashes that were asked for.
  let asked = Locked<[String]>([])
  let polls = Locked(0)
  let members = Locked<[String: Bool]?>([:])
  /// nil fails.
  let date: Locked<Int64??>
  let during = Locked<(@Sendable () -> Void)?>(nil)

  init(date: Int64 = 1_700_000_000_000) { self.date = Locked(date) }

  func lastUpToDate() -> Result<Int64?, StoreFailure> {
    polls.change { $0 += 1 }
    return date.value.map { .success($0) } ?? .failure(StoreFailure("no date"))
  }

  func memberships(of hash: String) -> Result<[String: Bool], StoreFailure> {
    asked.change { $0.append(hash) }
    during.value?()
    return members.value.map { .success($0) } ?? .failure(StoreFailure("no members"))
  }
}

/// A store of rules in memory, for clients that share it.
final class ScriptedRules: RulesStore, @unchecked Sendable {
  struct Kept: Equatable {
    var version: Int64
    var json: String
  }
  /// By "flag a" and the like.
  let kept = Locked<[String: Kept]>([:])
  let isFilled = Locked(false)
  let fails = Locked(false)
  /// What was called, in order.
  let calls = Locked<[String]>([])
  let during = Locked<(@Sendable () -> Void)?>(nil)

  static func name(_ kind: StoredItem.Kind, _ key: [UInt8]) -> String { "\(kind) \(String(decoding: key, as: UTF8.self))" }

  /// Another process writes.
  func write(_ name: String, version: Int64, _ json: String) { kept.change { $0[name] = Kept(version: version, json: json) } }
  func json(_ name: String) -> String? { kept.value[name]?.json }

  private func note(_ call: String) -> StoreFailure? {
    calls.change { $0.append(call) }
    during.value?()
    return fails.value ? StoreFailure("it is away") : nil
  }

  func initialize(_ items: [StoredItem]) -> StoreFailure? {
    let names = items.map { Self.name($0.kind, $0.key) }
    if let failure = note("init " + names.joined(separator: ", ")) { return failure }
    kept.value = Dictionary(
      zip(names, items).map { ($0, Kept(version: $1.version, json: String(decoding: $1.json, as: UTF8.self))) }
    ) { $1 }
    isFilled.value = true
    return nil
  }

  func all(_ kind: StoredItem.Kind) -> Result<[FoundItem], StoreFailure> {
    if let failure = note("all \(kind)") { return .failure(failure) }
    let prefix = "\(kind) "
    return .success(
      kept.value.filter { $0.key.hasPrefix(prefix) }.map {
        FoundItem(key: Array($0.key.dropFirst(prefix.count).utf8), json: Array($0.value.json.utf8))
      })
  }

  func upsert(_ item: StoredItem) -> Result<FoundItem?, StoreFailure> {
    let name = Self.name(item.kind, item.key)
    if let failure = note("upsert \(name) \(item.version)") { return .failure(failure) }
    if let old = kept.value[name], old.version >= item.version {
      return .success(FoundItem(key: item.key, json: Array(old.json.utf8)))
    }
    write(name, version: item.version, String(decoding: item.json, as: UTF8.self))
    return .success(nil)
  }

  func isInitialized() -> Result<Bool, StoreFailure> {
    if let failure = note("initialized") { return .failure(failure) }
    return .success(isFilled.value)
  }
}

extension Plugins {
  init(rules: (any RulesStore)? = nil, segments: (any BigSegmentStore)? = nil) {
    self.init()
    vendor[LaunchDarklyStores.rules] = rules
    vendor[LaunchDarklyStores.bigSegments] = segments
  }
}

/// Writes down what it is told of stores.
final class StoreObserver: ChangeObserver {
  let told = Locked<[StoreStatus]>([])
  func changed(_ changes: [FlagChange]) {}
  func unchanged() {}
  func connectionModeChanged(_ mode: Int32) {}
  func changed(_ store: ObservedStore, _ status: StoreStatus) { told.change { $0.append(status) } }
}
