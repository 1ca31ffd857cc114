<?php
// Router of PHP's built-in server: files that exist are served as they are, everything else is WordPress.
$root = $_SERVER['DOCUMENT_ROOT'];
$path = rawurldecode( (string) parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) );
if ( preg_match( '#(^|/)\.#', $path ) ) {
	http_response_code( 404 );
	return true;
}
$index = rtrim( $root . $path, '/' ) . '/index.php';
if ( is_file( $root . $path ) || ( '/' !== $path && is_dir( $root . $path ) && is_file( $index ) ) ) {
	return false;
}
$_SERVER['SCRIPT_NAME']     = '/index.php';
$_SERVER['PHP_SELF']        = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $root . '/index.php';
chdir( $root );
require $root . '/index.php';
