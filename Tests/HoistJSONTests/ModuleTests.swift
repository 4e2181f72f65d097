import Testing
@testable import HoistJSON
