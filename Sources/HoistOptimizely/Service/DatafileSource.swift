internal import HoistBase
internal import HoistCore

/// Brings datafiles: given, saved, downloaded (protocols/optimizely.md 5.1 to 5.4). On the scheduler's thread.
final class DatafileSource: @unchecked Sendable {
  private let host: any ProviderHost
  private let settings: OptimizelySettings
  /// Takes what is to be served.
  var serve: (_ datafile: CompiledDatafile, _ origin: DatafileOrigin) -> Void = { $0.snapshot.destroy(); _ = $1 }
  private(set) var isStarted = false

  init(host: any ProviderHost, settings: OptimizelySettings) {
    self.host = host
    self.settings = settings
  }

  /// A datafile of the properties can be evaluated as soon as the client is open.
  func serveGiven() {
    guard settings.autostart, let (bytes, origin) = given() else { return }
    do throws(OptimizelyDatafileFailure) {
      serve(try CompiledDatafile(bytes), .given)
      host.setState(.ready, "the datafile of \(origin) is served")
    } catch {
      host.log.error("\(origin): \(error.message)")
    }
  }

  private func given() -> (bytes: [UInt8], origin: String)? {
    if let datafile = settings.datafile { return (datafile, "property \"datafile\"") }
    if settings.datafilePath.isEmpty { return nil }
    let origin = "datafile.file \"\(settings.datafilePath)\""
    do throws(FileContent.Failure) {
      return (try FileContent.read(path: settings.datafilePath, limitBytes: settings.maximumResponseBytes), origin)
    } catch {
      host.log.error("\(origin): \(error.message)")
      return nil
    }
  }

  func begin() { isStarted = true }
  func stop() { isStarted = false }
  func setOnline(_ isOnline: Bool) {}
  func refresh() {}
  func abandonAfterFork() { isStarted = false }
}
