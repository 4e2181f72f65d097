import HoistCore
import HoistTestSupport
import Testing

@testable import HoistFlagship

@Suite("Flagship's SDK status (FS-12, FS-38 to FS-42)")
struct SDKStatusTests {
  @Test("A start in Decision API mode is initialized at once, without a request (FS-06, FS-08, FS-41)")
  func decisionModeIsInitializedAtOnce() throws {
    let rig = try FlagshipRig()
    #expect(rig.face.status == .initialized)
    #expect(rig.heard == [.initialized])
    #expect(rig.transport.requests.isEmpty)
    #expect(rig.client.state == .ready)
  }

  @Test("Before the start, and after the close, the SDK is not initialized (FS-39, FS-43)")
  func beforeAndAfter() throws {
    let rig = try FlagshipRig(["autostart": "false"])
    #expect(rig.face.status == .notInitialized)
    #expect(rig.heard.isEmpty)
  }
}
