import Glibc
import HoistBase
@testable import HoistCore
import HoistTestSupport
import Testing

/// Makes a client with the environments that its property names.
final class GroupFactory: ProviderFactory, @unchecked Sendable {
  let name = "fake"
  let properties = [
    Property("environments", .textList, default: "[]", "Further environments."),
    Property("key", .text, default: "first", "What differs between environments; \"wrong\" is refused."),
  ]
  let ownsCurrentContext: Bool
  private let lock = Lock()
  private var made: [FakeProvider] = []
  private var madeKeys: [String] = []

  init(ownsCurrentContext: Bool) { self.ownsCurrentContext = ownsCurrentContext }

  var providers: [FakeProvider] { lock.withLock { made } }
  var keys: [String] { lock.withLock { madeKeys } }

  func make(_ values: PropertyValues, _ host: any ProviderHost) throws(ConfigurationFailure) -> any Provider {
    guard values.text("key") != "wrong" else { throw ConfigurationFailure("key", "property \"key\" is wrong") }
    let provider = FakeProvider(host, ownsCurrentContext: ownsCurrentContext)
    lock.withLock {
      made.append(provider)
      madeKeys.append(values.text("key"))
    }
    return provider
  }

  func storeIdentity(_ values: PropertyValues) -> String { "fake|" + values.text("key") }

  func environments(_ values: PropertyValues) -> [(name: String, values: PropertyValues)] {
    values.textList("environments").map { name in
      var own = values
      try? own.set("key", name)
      return (name, own)
    }
  }
}

/// A client of several environments on a scheduler that the test turns; observers wait for `dispatch`.
final class GroupFixture: @unchecked Sendable {
  let scheduler = ManualScheduler()
  let factory: GroupFactory
  let client: Client
  let stores = Record<String>()

  init(_ environments: String = #"["b","c"]"#, ownsCurrentContext: Bool = false) throws {
    factory = GroupFactory(ownsCurrentContext: ownsCurrentContext)
    var values = PropertyValues(table: CoreProperties.table + factory.properties)
    try values.set("environments", environments)
    try values.set("dispatch", "manual")
    let (scheduler, stores) = (scheduler, stores)
    let transport = ScriptedTransport(scheduler: scheduler)
    client = try Client(
      factory: factory, values: values, plugins: Plugins(),
      services: ClientServices(
        scheduler: scheduler, clock: scheduler, entropy: SeededEntropy(seed: 1), regex: nil,
        makeTransport: { _ in transport },
        makeCacheManager: {
          stores.append($0.identity)
          return MemoryCacheManager(clock: scheduler)
        }, defaultLogSink: RecordingLogSink()))
  }

  deinit {
    client.dispose()
    scheduler.run()
  }

  var providers: [FakeProvider] { factory.providers }

  /// What each provider was asked since the last look.
  func takeCalls() -> [[String]] {
    defer { for provider in providers { provider.forgetCalls() } }
    return providers.map(\.calls)
  }

  func member(_ name: String) throws -> Client { try #require(client.environment(named: name)) }

  func opened() -> GroupFixture {
    client.open()
    scheduler.run()
    _ = takeCalls()
    return self
  }

  func whileScheduling<Result>(_ body: () -> Result) -> Result { scheduler.turning(while: body) }
}
