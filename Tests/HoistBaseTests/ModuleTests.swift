import Testing
@testable import HoistBase
