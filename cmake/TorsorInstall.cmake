install(TARGETS torsor EXPORT torsorTargets)
install(DIRECTORY include/torsor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
