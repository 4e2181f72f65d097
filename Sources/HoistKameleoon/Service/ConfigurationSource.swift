internal import HoistBase
internal import HoistCore

/// Brings the configuration: stored, given, fetched, streamed (2.2, 2.4, 4.2). On the scheduler's thread.
final class ConfigurationSource: @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: KameleoonSettings
  private let addresses: ServiceAddresses
  private let readiness: Readiness

  /// Takes what is served from now on.
  var serve: (CompiledConfiguration) -> Void = { $0.snapshot.destroy() }

  init(host: any ProviderHost, settings: KameleoonSettings, addresses: ServiceAddresses, readiness: Readiness) {
    self.host = host
    self.settings = settings
    self.addresses = addresses
    self.readiness = readiness
  }

  func start() { takeGiven() }
  func stop() {}
  func setOnline(_ isOnline: Bool) {}
  func refresh() {}
  func abandonAfterFork() {}

  private func takeGiven() {
    guard let given = settings.defaultDatafile else { return }
    do throws(KameleoonConfigurationFailure) {
      serve(try KameleoonConfiguration.compile(given, log: host.log))
      readiness.becomeReady()
    } catch {
      host.log.error("default_datafile is left aside: \(error.message)")
    }
  }
}
